// Declares the function that answers the requests of an HTTP server: the API's, or that of the control port.

import type { DeliveredReply } from '../faults/faultyService.ts';
import type { ServiceRequest } from '../api/message.ts';

/** Answers a request, at once or later. Null: the connection is closed without a reply. */
export type Answerer = (request: ServiceRequest, deliver: (response: DeliveredReply) => void) => void;
