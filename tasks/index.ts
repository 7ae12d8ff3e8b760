import { prune as pruneAccount } from './account/prune.ts'
import { answer } from './ai/answer.ts'
import { classify } from './ai/classify.ts'
import { moderate } from './ai/moderate.ts'
import { prune as pruneAi } from './ai/prune.ts'
import { summarize } from './ai/summarize.ts'
import { answer as answerChat } from './bots/answer.ts'
import { makePassages } from './bots/make-passages.ts'
import { prune as pruneBots } from './bots/prune.ts'
import { checkDomain } from './email/check-domain.ts'
import { checkDomains } from './email/check-domains.ts'
import { deliverCampaign } from './email/deliver-campaign.ts'
import { deliverTransactional } from './email/deliver-transactional.ts'
import { expandCampaign } from './email/expand-campaign.ts'
import { forwardOperatorMail } from './email/forward-operator-mail.ts'
import { prune as pruneEmail } from './email/prune.ts'
import { pruneInbound } from './email/prune-inbound.ts'
import { reconfirm } from './email/reconfirm.ts'
import { rewake } from './email/rewake.ts'
import { withdrawCampaign } from './email/withdraw-campaign.ts'
import { importCompanies } from './erp/import.ts'
import { pruneImports } from './erp/prune.ts'
import { discardIncoming } from './files/discard-incoming.ts'
import { prune as pruneFiles } from './files/prune.ts'
import { quarantine } from './files/quarantine.ts'
import { remove as removeObject } from './files/remove.ts'
import { rescan } from './files/rescan.ts'
import { scan } from './files/scan.ts'
import { stripMetadata } from './files/strip-metadata.ts'
import { sweep as sweepObjects } from './files/sweep.ts'
import { forgetVisitors } from './guard/forget-visitors.ts'
import { prune as pruneGuard } from './guard/prune.ts'
import { refill } from './guard/refill.ts'
import { matchFaces } from './identity/match-faces.ts'
import { prune as pruneIdentity } from './identity/prune.ts'
import { prune } from './jobs/prune.ts'
import { recount } from './jobs/recount.ts'
import { rescue } from './jobs/rescue.ts'
import { rollUp } from './jobs/roll-up.ts'
import { endLostBroadcasts } from './live/end-lost-broadcasts.ts'
import { recordBroadcast } from './live/record-broadcast.ts'
import { prune as pruneNotify } from './notify/prune.ts'
import { sendCopies } from './notify/send-copies.ts'
import { sendDigest } from './notify/send-digest.ts'
import type { PoolName } from './pools.ts'
import { checkCredential } from './push/check-credential.ts'
import { deliver as deliverPushes } from './push/deliver.ts'
import { expand } from './push/expand.ts'
import { prune as prunePushes } from './push/prune.ts'
import { wakeOverdue as wakeOverduePushes } from './push/wake-overdue.ts'
import { notifyDead } from './queue/notify-dead.ts'
import type { AnyTask } from './queue/task.ts'
import { pruneRooms } from './rooms/prune.ts'
import { recordRoom } from './rooms/record.ts'
import { sweepRooms } from './rooms/sweep.ts'
import { sweepBroadcasts } from './rooms/sweep-broadcasts.ts'
import { confirmHashes } from './trust/confirm-hashes.ts'
import { expand as expandUrl } from './trust/expand.ts'
import { importFeed } from './trust/import.ts'
import { refresh as refreshFeeds } from './trust/refresh.ts'
import { abortUpload } from './video/abort-upload.ts'
import { certifyDomain } from './video/certify-domain.ts'
import { checkWatermark } from './video/check-watermark.ts'
import { discard } from './video/discard.ts'
import { discardPackage } from './video/discard-package.ts'
import { encodeAudio } from './video/encode-audio.ts'
import { encodeChunk } from './video/encode-chunk.ts'
import { openPoster } from './video/open-poster.ts'
import { packageLadder } from './video/package-ladder.ts'
import { packageLowest } from './video/package-lowest.ts'
import { packageSource } from './video/package-source.ts'
import { poster } from './video/poster.ts'
import { probe } from './video/probe.ts'
import { pruneQuality } from './video/prune-quality.ts'
import { removeAsset } from './video/remove-asset.ts'
import { remux } from './video/remux.ts'
import { renewCertificates } from './video/renew-certificates.ts'
import { retirePackages } from './video/retire-packages.ts'
import { sweepUploads } from './video/sweep-uploads.ts'
import { transcribe } from './video/transcribe.ts'
import { dial } from './voice/dial.ts'
import { expire } from './voice/expire.ts'
import { prune as pruneCalls } from './voice/prune.ts'
import { deliver as deliverToWebhook } from './webhooks/deliver.ts'
import { prune as pruneWebhooks } from './webhooks/prune.ts'
import { test as testWebhook } from './webhooks/test.ts'
import { wakeOverdue } from './webhooks/wake-overdue.ts'
import { prune as pruneWhatsapp } from './whatsapp/prune.ts'
import { send as sendWhatsapp } from './whatsapp/send.ts'
import { syncTemplates } from './whatsapp/sync-templates.ts'
import { capture } from './wiki/capture.ts'
import { prune as pruneWiki } from './wiki/prune.ts'

export const tasks: readonly AnyTask[] = [
  notifyDead,
  prune,
  rollUp,
  recount,
  rescue,
  pruneAccount,
  checkDomain,
  checkDomains,
  reconfirm,
  pruneInbound,
  probe,
  remux,
  packageLowest,
  packageSource,
  poster,
  openPoster,
  encodeAudio,
  encodeChunk,
  packageLadder,
  discard,
  discardPackage,
  removeAsset,
  retirePackages,
  checkWatermark,
  abortUpload,
  sweepUploads,
  pruneQuality,
  recordBroadcast,
  recordRoom,
  endLostBroadcasts,
  sweepRooms,
  sweepBroadcasts,
  pruneRooms,
  transcribe,
  certifyDomain,
  renewCertificates,
  scan,
  rescan,
  quarantine,
  discardIncoming,
  removeObject,
  sweepObjects,
  stripMetadata,
  pruneFiles,
  expandCampaign,
  forwardOperatorMail,
  withdrawCampaign,
  pruneEmail,
  sendCopies,
  sendDigest,
  pruneNotify,
  deliverToWebhook,
  testWebhook,
  wakeOverdue,
  pruneWebhooks,
  deliverTransactional,
  deliverCampaign,
  rewake,
  expand,
  deliverPushes,
  checkCredential,
  wakeOverduePushes,
  prunePushes,
  refill,
  pruneGuard,
  forgetVisitors,
  refreshFeeds,
  importFeed,
  expandUrl,
  confirmHashes,
  answer,
  summarize,
  classify,
  moderate,
  pruneAi,
  capture,
  pruneWiki,
  answerChat,
  makePassages,
  pruneBots,
  importCompanies,
  pruneImports,
  sendWhatsapp,
  syncTemplates,
  pruneWhatsapp,
  matchFaces,
  pruneIdentity,
  dial,
  expire,
  pruneCalls,
]

const byName = new Map(tasks.map((task) => [task.name, task]))

export const findTask = (name: string): AnyTask | undefined => byName.get(name)

/** The tasks that a pool's workers do. */
export const tasksOf = (pool: PoolName): AnyTask[] => tasks.filter((task) => task.pool === pool)
