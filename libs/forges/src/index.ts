export type { CommitState, DeliveryStatus, ForgeConnection, ForgeKind } from '@triphammer/models/forges';
export { type DueStatus, type FailedPost, markFailed, markPosted, takeDueStatuses, type WantedStatus, wantStatus } from './commit-statuses';
export { connectForge, openForge } from './connect-forge';
export {
  addConnection,
  type CheckedConnection,
  checkConnection,
  findConnection,
  listConnections,
  type NewConnection,
  openWebhookSecret,
  ownerOf,
  readConnection,
  removeConnection,
} from './connections';
export { type DeliveryFilter, type DeliveryRecord, listDeliveries, readDeliveredEvent, readDelivery, recordTrace } from './deliveries';
export type { Forge, ForgeApi, GitRemote, RemoteRepository, StatusOutcome, StatusReport } from './forge';
export { type ForgeEvent, isZeroId, type Push, type RepositoryFacts } from './forge-event';
export { type PostReceiveHook, renderPostReceiveHook } from './git/render-post-receive-hook';
export type { RefMove } from './git-cache/changed-files';
export { type CachedRepository, GitCache } from './git-cache/git-cache';
export type { WorkflowFile, WorkflowFolder } from './git-cache/workflow-files';
export { ensureRepository, findRepository, readRepository, type RepositoryRecord } from './repositories';
export type { SecretBox } from './secret-box';
export { type NewDelivery, type StoredDelivery, storeDelivery, storeRefusedDelivery } from './store-delivery';
export { type TriggerTrace, traceOnArrival, type WorkflowVerdict } from './trigger-trace';
export { hasSignature, identifyWebhook, isSigned, readForgeEvent, type WebhookHeaders } from './webhook';
