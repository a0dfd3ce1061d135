export { type CallContext, type Methods, type OnError, type UnaryMethod } from './dispatch-unary';
export { type ConnectMount, mountConnect, mountUnimplemented } from './mount-connect';
export { PreEncoded } from './pre-encoded';
export { type PingRequest, type PingResponse, PingService } from './gen/ping/v1/ping_pb';
export {
  type DeclareRequest,
  type DeclareResponse,
  type FetchSingleTaskRequest,
  type FetchSingleTaskResponse,
  type FetchTaskRequest,
  FetchTaskRequestSchema,
  type FetchTaskResponse,
  FetchTaskResponseSchema,
  type LogRow,
  type RegisterRequest,
  type RegisterResponse,
  Result,
  type Runner,
  RunnerService,
  RunnerStatus,
  type StepState,
  type Task,
  type TaskNeed,
  TaskNeedSchema,
  TaskSchema,
  type TaskState,
  type UpdateLogRequest,
  UpdateLogRequestSchema,
  type UpdateLogResponse,
  type UpdateTaskRequest,
  type UpdateTaskResponse,
} from './gen/runner/v1/runner_pb';
