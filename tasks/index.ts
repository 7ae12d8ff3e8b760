import { close } from './account/close.ts'
import { exportAll } from './account/export.ts'
import { keepRequestDays } from './account/keep-request-days.ts'
import { mailClosure } from './account/mail-closure.ts'
import { mailCode } from './account/mail-code.ts'
import { mailInvitation } from './account/mail-invitation.ts'
import { mailStream } from './account/mail-stream.ts'
import { mailThreshold } from './account/mail-threshold.ts'
import { remindClosures } from './account/remind-closures.ts'
import { rollUpUsage } from './account/roll-up-usage.ts'
import { sendStream } from './account/send-stream.ts'
import { sweepExports } from './account/sweep-exports.ts'
import { tellExpiringKeys } from './account/tell-expiring-keys.ts'
import { tellThresholds } from './account/tell-thresholds.ts'
import { testStream } from './account/test-stream.ts'
import { trimStreams } from './account/trim-streams.ts'
import { answer } from './ai/answer.ts'
import { classify } from './ai/classify.ts'
import { complete as completeAi } from './ai/complete.ts'
import { embed } from './ai/embed.ts'
import { mailKeyThreshold } from './ai/mail-key-threshold.ts'
import { moderate } from './ai/moderate.ts'
import { rerank } from './ai/rerank.ts'
import { settleCharges } from './ai/settle-charges.ts'
import { summarize } from './ai/summarize.ts'
import { trimEmbeddings } from './ai/trim-embeddings.ts'
import { trimReplies } from './ai/trim-replies.ts'
import { perform as performRules } from './automation/perform.ts'
import { answer as answerChat } from './bots/answer.ts'
import { groupQuestions } from './bots/group-questions.ts'
import { hear as hearContact } from './bots/hear.ts'
import { mailAssignment } from './bots/mail-assignment.ts'
import { makePassages } from './bots/make-passages.ts'
import { readSource } from './bots/read-source.ts'
import { recount as recountBots } from './bots/recount.ts'
import { refreshSources as refreshBotSources } from './bots/refresh-sources.ts'
import { askSignUp } from './email/ask-sign-up.ts'
import { beginCampaign } from './email/begin-campaign.ts'
import { certifyHost } from './email/certify-host.ts'
import { checkDomain } from './email/check-domain.ts'
import { checkDomains } from './email/check-domains.ts'
import { confirmImport } from './email/confirm-import.ts'
import { deliverCampaign } from './email/deliver-campaign.ts'
import { deliverTransactional } from './email/deliver-transactional.ts'
import { discardReceived } from './email/discard-received.ts'
import { endCampaign } from './email/end-campaign.ts'
import { expandCampaign } from './email/expand-campaign.ts'
import { forwardOperatorMail } from './email/forward-operator-mail.ts'
import { importRows } from './email/import-rows.ts'
import { readReceived } from './email/read-received.ts'
import { reconfirm } from './email/reconfirm.ts'
import { rewake } from './email/rewake.ts'
import { sendScheduled } from './email/send-scheduled.ts'
import { showSource } from './email/show-source.ts'
import { simulateComplaint } from './email/simulate-complaint.ts'
import { sweepCampaigns } from './email/sweep-campaigns.ts'
import { sweepReceived } from './email/sweep-received.ts'
import { withdrawCampaign } from './email/withdraw-campaign.ts'
import { fetchSource } from './erp/fetch.ts'
import { importCompanies } from './erp/import.ts'
import { pruneImports } from './erp/prune.ts'
import { refreshSources } from './erp/refresh.ts'
import { tellChanges } from './erp/tell-changes.ts'
import { tellWatchers } from './erp/tell-watchers.ts'
import { refill } from './guard/refill.ts'
import { expirePayloads } from './hooks/expire-payloads.ts'
import { forgetApp } from './hooks/forget-app.ts'
import { checkFace } from './identity/check-face.ts'
import { forgetTries } from './identity/forget-tries.ts'
import { matchFaces } from './identity/match-faces.ts'
import { readDocument } from './identity/read-document.ts'
import { release } from './intake/release.ts'
import { replay } from './intake/replay.ts'
import { clearQueues } from './jobs/clear-queues.ts'
import { keepPartitions } from './jobs/keep-partitions.ts'
import { prune } from './jobs/prune.ts'
import { recount } from './jobs/recount.ts'
import { rescue } from './jobs/rescue.ts'
import { rollUp } from './jobs/roll-up.ts'
import { embed as embedSource } from './knowledge/embed.ts'
import { embedMissing } from './knowledge/embed-missing.ts'
import { embedSearch } from './knowledge/embed-search.ts'
import { expireStores } from './knowledge/expire-stores.ts'
import { readStoreFile } from './knowledge/read-store-file.ts'
import { removeStore } from './knowledge/remove-store.ts'
import { announceScheduled } from './live/announce-scheduled.ts'
import { endLostBroadcasts } from './live/end-lost-broadcasts.ts'
import { recordBroadcast } from './live/record-broadcast.ts'
import { mediaTasks } from './media-tasks.ts'
import { expire as expireMoving } from './moving/expire.ts'
import { importAll } from './moving/import.ts'
import { fetch as fetchForRun } from './notify/fetch.ts'
import { postChat } from './notify/post-chat.ts'
import { sendBroadcast } from './notify/send-broadcast.ts'
import { sendCopies } from './notify/send-copies.ts'
import { sendDigest } from './notify/send-digest.ts'
import { takeSteps } from './notify/take-steps.ts'
import { testConnection } from './notify/test-connection.ts'
import { erase as erasePerson } from './people/erase.ts'
import type { PoolName } from './pools.ts'
import { cancelRest } from './push/cancel-rest.ts'
import { checkCredential } from './push/check-credential.ts'
import { deliver as deliverPushes } from './push/deliver.ts'
import { expand } from './push/expand.ts'
import { forgetUser } from './push/forget-user.ts'
import { wakeOverdue as wakeOverduePushes } from './push/wake-overdue.ts'
import { notifyDead } from './queue/notify-dead.ts'
import type { AnyTask } from './queue/task.ts'
import { recordRoom } from './rooms/record.ts'
import { sweepRooms } from './rooms/sweep.ts'
import { sweepBroadcasts } from './rooms/sweep-broadcasts.ts'
import { deliver as deliverSms } from './sms/deliver.ts'
import { forgetSecrets } from './sms/forget-secrets.ts'
import { measure as measureStatus } from './status/measure.ts'
import { confirmHashes } from './trust/confirm-hashes.ts'
import { expand as expandUrl } from './trust/expand.ts'
import { importFeed } from './trust/import.ts'
import { refresh as refreshFeeds } from './trust/refresh.ts'
import { watch as watchUrls } from './trust/watch.ts'
import { expire as expireCode } from './verify/expire.ts'
import { follow as followCode } from './verify/follow.ts'
import { send as sendCode } from './verify/send.ts'
import { dial } from './voice/dial.ts'
import { expire } from './voice/expire.ts'
import { deliver as deliverToWebhook } from './webhooks/deliver.ts'
import { test as testWebhook } from './webhooks/test.ts'
import { wakeOverdue } from './webhooks/wake-overdue.ts'
import { checkNumber } from './whatsapp/check-number.ts'
import { createTemplate } from './whatsapp/create-template.ts'
import { deleteTemplate } from './whatsapp/delete-template.ts'
import { fetchMedia } from './whatsapp/fetch-media.ts'
import { followTemplates } from './whatsapp/follow-templates.ts'
import { send as sendWhatsapp } from './whatsapp/send.ts'
import { subscribeNumber } from './whatsapp/subscribe-number.ts'
import { syncTemplates } from './whatsapp/sync-templates.ts'
import { capture } from './wiki/capture.ts'
import { makePassages as makeArticlePassages } from './wiki/make-passages.ts'
import { prune as pruneWiki } from './wiki/prune.ts'
import { call as callUrl } from './work/call.ts'
import { requeueLost } from './work/requeue-lost.ts'

export const tasks: readonly AnyTask[] = [
  close,
  exportAll,
  sweepExports,
  notifyDead,
  measureStatus,
  mailCode,
  mailInvitation,
  mailThreshold,
  mailKeyThreshold,
  mailClosure,
  mailAssignment,
  remindClosures,
  rollUpUsage,
  tellExpiringKeys,
  tellThresholds,
  mailStream,
  sendStream,
  testStream,
  trimStreams,
  keepPartitions,
  prune,
  clearQueues,
  release,
  replay,
  rollUp,
  keepRequestDays,
  recount,
  rescue,
  checkDomain,
  checkDomains,
  reconfirm,
  showSource,
  simulateComplaint,
  readReceived,
  discardReceived,
  sweepReceived,
  ...mediaTasks,
  recordBroadcast,
  recordRoom,
  announceScheduled,
  endLostBroadcasts,
  sweepRooms,
  sweepBroadcasts,
  beginCampaign,
  certifyHost,
  expandCampaign,
  endCampaign,
  sweepCampaigns,
  importRows,
  confirmImport,
  askSignUp,
  forwardOperatorMail,
  withdrawCampaign,
  fetchForRun,
  sendBroadcast,
  sendCopies,
  sendDigest,
  takeSteps,
  erasePerson,
  postChat,
  testConnection,
  deliverToWebhook,
  testWebhook,
  wakeOverdue,
  callUrl,
  requeueLost,
  deliverTransactional,
  deliverCampaign,
  rewake,
  sendScheduled,
  expand,
  cancelRest,
  forgetUser,
  deliverPushes,
  checkCredential,
  wakeOverduePushes,
  refill,
  refreshFeeds,
  importFeed,
  expandUrl,
  confirmHashes,
  watchUrls,
  answer,
  summarize,
  completeAi,
  embed,
  trimEmbeddings,
  trimReplies,
  settleCharges,
  classify,
  moderate,
  rerank,
  capture,
  pruneWiki,
  performRules,
  answerChat,
  hearContact,
  embedSource,
  embedMissing,
  groupQuestions,
  expireStores,
  readStoreFile,
  removeStore,
  makePassages,
  makeArticlePassages,
  embedSearch,
  readSource,
  refreshBotSources,
  recountBots,
  importCompanies,
  fetchSource,
  refreshSources,
  tellChanges,
  tellWatchers,
  pruneImports,
  checkNumber,
  createTemplate,
  deleteTemplate,
  fetchMedia,
  followTemplates,
  sendWhatsapp,
  subscribeNumber,
  syncTemplates,
  deliverSms,
  expirePayloads,
  forgetApp,
  forgetSecrets,
  checkFace,
  matchFaces,
  readDocument,
  forgetTries,
  dial,
  expire,
  sendCode,
  followCode,
  expireCode,
  importAll,
  expireMoving,
]

const byName = new Map(tasks.map((task) => [task.name, task]))

export const findTask = (name: string): AnyTask | undefined => byName.get(name)

export const getTasksOfPool = (pool: PoolName): AnyTask[] => tasks.filter((task) => task.pool === pool)
