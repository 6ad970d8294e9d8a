// What stands behind a door.

import type { Delivered } from '../faults/faultyService.ts';
import type { ServiceRequest } from '../api/message.ts';

/** Answers a request, now or later; null: the connection is closed without an answer. */
export type Answerer = (request: ServiceRequest, deliver: (response: Delivered) => void) => void;
