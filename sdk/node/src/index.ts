export { APIPromise, type WithResponse } from './api-promise.ts'
export { Millrace } from './client.ts'
export * from './errors.ts'
export { EventStream } from './event-stream.ts'
export type { FileSessionOptions, FileUploadOptions } from './file-uploads.ts'
export type { KnownEvent, KnownEvents } from './generated/events.ts'
export type {
  ChatMessage as RoomChatMessage,
  JoinOptions as RoomJoinOptions,
  Participant as RoomParticipant,
  Room,
  RoomError,
  RoomEvents,
} from './generated/room.ts'
export * from './generated/types.ts'
export { type Challenge, type Derive, guard, type SolveOptions } from './guard/solve.ts'
export type { Hooks, RequestInfo, ResponseInfo, RetryInfo } from './hooks.ts'
export {
  type HandleJobsOptions,
  handleJobs,
  type JobRequest,
  type NodeJobRequest,
  NoRetry,
  RetryLater,
  type VerifiedJob,
  verifyJob,
} from './jobs.ts'
export { Listing, Page } from './listing.ts'
export type { ServerEvent } from './server-events.ts'
export { type VerifyOptions, type WebhookHeaders, WebhookVerificationError } from './signatures.ts'
export type { Sliceable, Source } from './sources.ts'
export { StorageError } from './storage.ts'
export type { CallOptions, KeyedCallOptions, MillraceOptions } from './transport.ts'
export { UploadError, type UploadProgress } from './upload-options.ts'
export type { VideoSessionOptions, VideoUpload, VideoUploadOptions } from './uploads.ts'
export { type UnknownEvent, type WebhookEvent, webhooks } from './webhooks.ts'
