export type { ForgeConnection, ForgeKind } from '@triphammer/models/forges';
export { type DueStatus, markFailed, markPosted, takeDueStatuses, type WantedStatus, wantStatus } from './commit-statuses';
export { connectForge, openForge } from './connect-forge';
export {
  addConnection,
  checkConnection,
  findConnection,
  listConnections,
  type NewConnection,
  openWebhookSecret,
  ownerOf,
  readConnection,
  removeConnection,
} from './connections';
export { type DeliveryRecord, listDeliveries, readDeliveredEvent, readDelivery, recordTrace } from './deliveries';
export type { Forge, StatusOutcome } from './forge';
export type { ForgeEvent, Push, RepositoryFacts } from './forge-event';
export { renderPostReceiveHook } from './git/render-post-receive-hook';
export { type CachedRepository, GitCache } from './git-cache/git-cache';
export { ensureRepository, findRepository, readRepository, type RepositoryRecord } from './repositories';
export type { SecretBox } from './secret-box';
export { type NewDelivery, type StoredDelivery, storeDelivery, storeRefusedDelivery } from './store-delivery';
export { type TriggerTrace, traceOnArrival, type WorkflowVerdict } from './trigger-trace';
export { hasSignature, identifyWebhook, isSigned, readForgeEvent, type WebhookHeaders } from './webhook';
