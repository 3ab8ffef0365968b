export {
  complete,
  failure,
  type AuthInfo,
  type ClientFacts,
  type Complete,
  type Exchange,
  type Failure,
  type Handle,
  type InputRequest,
  type InputRequests,
  type InputRequired,
  type InputResponses,
  type Middleware,
  type Notification,
  type Outcome,
  type TaskHandle,
} from './exchange.ts'
export type { Connector, IncomingMessage, Wire, WireRequestOptions } from './wire.ts'
