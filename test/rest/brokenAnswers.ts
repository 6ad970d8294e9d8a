// Lists the ways in which a connection can break after the whole request has arrived.

import { answerBytes, type Behaviour } from '../fixtures/stubExchange.ts';

/** The behaviour of the exchange for each way. */
export const BROKEN_ANSWERS: Readonly<Record<string, Behaviour>> = {
  'a reset instead of an answer': (socket) => void socket.resetAndDestroy(),
  'the end instead of an answer': (socket) => void socket.end(),
  'a reset within the status line': (socket) => void socket.write('HTTP/1.1 20', () => socket.resetAndDestroy()),
  'a reset within the headers': (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.resetAndDestroy()),
  'a reset within the body': (socket) =>
    void socket.write(answerBytes(200, 'x', { 'content-length': '9' }), () => socket.resetAndDestroy()),
  'the end within the body': (socket) => void socket.end(answerBytes(200, 'x', { 'content-length': '9' })),
  'the end within chunks': (socket) => void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'),
  'no HTTP': (socket) => void socket.write('220 mail.example.com ESMTP\r\n'),
  'two lengths': (socket) => void socket.write(answerBytes(200, 'x', { 'Content-Length': '5' })),
  'headers without an end': (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${`a: ${'b'.repeat(1000)}\r\n`.repeat(40)}`),
  'an upgrade': (socket) => void socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
};
