export { Failure, isFailure, type FailureCode, FAILURE_CODES, HTTP_STATUS } from './failure';
export { sha256Hex, sha256, hmacSha256Hex, equalInConstantTime } from './digest';
export { newToken, newUuid } from './ids';
export { CLOCK, type Clock, systemClock } from './clock';
export { parseDuration, formatDuration } from './duration';
export { parseByteSize, formatByteSize } from './byte-size';
export { every, type Repetition } from './every';
export { raise } from './raise';
