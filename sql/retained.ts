import type { z } from 'zod'
import { table as accountAudit } from './account/audit.ts'
import { table as accountDeviceLogins } from './account/device-logins.ts'
import { table as accountIdempotency } from './account/idempotency.ts'
import { table as accountLimits } from './account/limits.ts'
import { table as accountBrowserSessions } from './account/people/browser-sessions.ts'
import { table as accountCeremonies } from './account/people/ceremonies.ts'
import { table as accountInvitations } from './account/people/invitations.ts'
import { table as accountSessions } from './account/people/sessions.ts'
import { table as accountSupportGrants } from './account/people/support-grants.ts'
import { table as accountLogStreamQueue } from './account/streams/queue.ts'
import { table as accountLogStreamRejects } from './account/streams/rejects.ts'
import { table as accountTestMessages } from './account/test-messages.ts'
import { table as accountUploadTokens } from './account/upload-tokens.ts'
import { table as accountBudgetAlerts } from './account/usage/budget-alerts.ts'
import { reservations as accountUsageReservations } from './account/usage/budgets.ts'
import { table as accountRequestMinutes, hours as accountRequestMinutesHours } from './account/usage/request-minutes.ts'
import { table as accountRequestWindows } from './account/usage/request-windows.ts'
import { table as accountUsageDaily } from './account/usage.ts'
import { table as aiAudio } from './ai/audio.ts'
import { table as aiCharges } from './ai/charges.ts'
import { table as aiCompletions } from './ai/completions.ts'
import { table as aiCosts } from './ai/costs.ts'
import { table as aiEmbeddings } from './ai/embeddings.ts'
import { alerts as aiKeyAlerts } from './ai/key-limits.ts'
import { table as aiReplies } from './ai/replies.ts'
import { table as aiUpstreams } from './ai/upstreams.ts'
import { table as aiUsage } from './ai/usage.ts'
import { table as automationRuleMinutes } from './automation/rule-minutes.ts'
import { table as automationRules } from './automation/rules.ts'
import { table as automationRuns } from './automation/runs.ts'
import { table as botsChannelMessages } from './bots/channel-messages.ts'
import { table as botsConversations } from './bots/conversations.ts'
import { table as botsUnanswered } from './bots/unanswered.ts'
import { table as directoryDaySecrets } from './directory/day-secrets.ts'
import { table as directoryViewers } from './directory/viewers.ts'
import { table as emailPastAsked } from './email/contacts/past-asked.ts'
import { table as emailPastRecipients } from './email/contacts/past-recipients.ts'
import { table as emailContents } from './email/contents.ts'
import { table as emailMerges } from './email/delivery/merges.ts'
import { table as emailMxSets } from './email/delivery/mx-sets.ts'
import { strikeTable as emailSettleStrikeTable } from './email/delivery/settle.ts'
import { reportTable as emailDmarcReportTable } from './email/dmarc.ts'
import { table as emailImportRows } from './email/import-rows.ts'
import { table as emailInbound } from './email/inbound.ts'
import { table as emailMessages } from './email/messages.ts'
import { table as emailOperatorMail } from './email/operator-mail.ts'
import { table as emailSandbox } from './email/sandbox.ts'
import { table as emailSignUps } from './email/sign-ups.ts'
import { table as emailTlsReports } from './email/tls-reports.ts'
import { table as erpChanges } from './erp/changes.ts'
import { table as filesBucketScans } from './files/bucket-scans.ts'
import { table as filesDeliveryDays } from './files/delivery-days.ts'
import { table as filesScanners } from './files/scanners.ts'
import { table as filesScans } from './files/scans.ts'
import { table as filesStateChanges } from './files/state-changes.ts'
import { table as guardAssessments } from './guard/assessments.ts'
import { table as guardChallenges } from './guard/challenges.ts'
import { table as guardHourly } from './guard/hourly.ts'
import { table as guardTickets } from './guard/tickets.ts'
import { table as guardTokens } from './guard/tokens.ts'
import { table as guardVisitors } from './guard/visitors.ts'
import { table as hooksEventIds } from './hooks/event-ids.ts'
import { table as identityFaceChecks } from './identity/face-checks.ts'
import { table as identityPrompts } from './identity/prompts.ts'
import { table as intakeRequests } from './intake/requests.ts'
import { table as jobsControls } from './jobs/controls.ts'
import { table as jobsDepths, hours as jobsDepthsHours } from './jobs/depths.ts'
import { table as jobsFailures } from './jobs/failures.ts'
import { table as jobsMinutes, hours as jobsMinutesHours } from './jobs/minutes.ts'
import { table as jobsRuns } from './jobs/runs.ts'
import { table as jobsWorkers, crashes as jobsWorkersCrashes } from './jobs/workers.ts'
import { table as knowledgeStoreBatches } from './knowledge/store-batches.ts'
import { table as liveChatMessages } from './live/chat-messages.ts'
import { table as liveChatTokens } from './live/chat-tokens.ts'
import { table as movingRows } from './moving/rows.ts'
import { table as notifyBroadcasts } from './notify/broadcasts.ts'
import { table as notifyChatMessages } from './notify/chat-messages.ts'
import { table as notifyDigests } from './notify/digests.ts'
import { table as notifyEvents } from './notify/events.ts'
import { table as notifyThrottles } from './notify/throttles.ts'
import { table as videoPlaybackSessions } from './playback/sessions.ts'
import { table as pushDaily } from './push/daily.ts'
import { table as pushInstallations } from './push/installations.ts'
import { table as pushMessages } from './push/messages.ts'
import { table as rooms } from './rooms/rooms.ts'
import { table as smsMessages } from './sms/messages.ts'
import { table as smsProviders } from './sms/providers.ts'
import { table as statusDays } from './status/days.ts'
import { table as statusIncidents } from './status/incidents.ts'
import type { Table } from './table.ts'
import { table as trustConfirmations } from './trust/confirmations.ts'
import { table as verifyConversions } from './verify/conversions.ts'
import { table as verifyCounters } from './verify/counters.ts'
import { table as verifyPrefixes } from './verify/prefixes.ts'
import { table as verifyVerifications } from './verify/verifications.ts'
import {
  table as videoAudience,
  orgTable as videoAudienceOrgs,
  viewerTable as videoAudienceViewers,
} from './video/audience.ts'
import { table as videoQuality, errors as videoQualityErrors } from './video/quality.ts'
import { table as videoSpeechEngines } from './video/speech-engines.ts'
import { table as videoViews } from './video/views.ts'
import { table as voiceCalls } from './voice/calls.ts'
import { table as voiceSwitchboards } from './voice/switchboards.ts'
import { table as webhooksEventStreams, streamedTable as webhooksStreamedEvents } from './webhooks/event-streams.ts'
import { table as webhooksEvents } from './webhooks/events.ts'
import { table as whatsappBusinessNumbers } from './whatsapp/business-numbers.ts'
import { table as whatsappContacts } from './whatsapp/contacts.ts'
import { table as whatsappConversations } from './whatsapp/conversations.ts'
import { table as whatsappMessages } from './whatsapp/messages.ts'
import { table as whatsappNumberContacts } from './whatsapp/number-contacts.ts'
import { unclaimed as whatsappReceiversUnclaimed } from './whatsapp/receivers.ts'
import { table as wikiSnapshotChecks } from './wiki/snapshot-checks.ts'
import { table as workDedupeKeys } from './work/dedupe-keys.ts'
import { table as workFlows } from './work/flows.ts'
import { table as workJobs } from './work/jobs.ts'
import { table as workKeys } from './work/keys.ts'

/** Every table with a retention. One task applies all retentions. */
export const tablesWithRetention: readonly Table<z.ZodObject>[] = [
  accountAudit,
  accountBrowserSessions,
  accountBudgetAlerts,
  accountCeremonies,
  accountDeviceLogins,
  accountIdempotency,
  accountInvitations,
  accountLogStreamQueue,
  accountLogStreamRejects,
  accountLimits,
  accountRequestMinutes,
  accountRequestMinutesHours,
  accountRequestWindows,
  accountSessions,
  accountSupportGrants,
  accountTestMessages,
  accountUploadTokens,
  accountUsageDaily,
  accountUsageReservations,
  aiAudio,
  aiCompletions,
  aiEmbeddings,
  aiCharges,
  aiCosts,
  aiKeyAlerts,
  aiReplies,
  aiUpstreams,
  aiUsage,
  automationRuleMinutes,
  automationRules,
  automationRuns,
  botsChannelMessages,
  botsConversations,
  botsUnanswered,
  directoryDaySecrets,
  directoryViewers,
  emailContents,
  emailImportRows,
  emailDmarcReportTable,
  emailInbound,
  emailMerges,
  emailMessages,
  emailMxSets,
  emailOperatorMail,
  emailPastAsked,
  emailPastRecipients,
  emailSandbox,
  emailSettleStrikeTable,
  emailSignUps,
  emailTlsReports,
  erpChanges,
  filesBucketScans,
  filesDeliveryDays,
  filesScanners,
  filesScans,
  filesStateChanges,
  guardAssessments,
  guardChallenges,
  guardHourly,
  guardTickets,
  guardTokens,
  guardVisitors,
  hooksEventIds,
  identityFaceChecks,
  identityPrompts,
  intakeRequests,
  jobsControls,
  jobsDepths,
  jobsDepthsHours,
  jobsFailures,
  jobsMinutes,
  jobsMinutesHours,
  jobsRuns,
  jobsWorkers,
  jobsWorkersCrashes,
  knowledgeStoreBatches,
  liveChatMessages,
  liveChatTokens,
  movingRows,
  notifyBroadcasts,
  notifyChatMessages,
  notifyDigests,
  notifyEvents,
  notifyThrottles,
  pushDaily,
  pushInstallations,
  pushMessages,
  statusDays,
  statusIncidents,
  trustConfirmations,
  verifyConversions,
  verifyCounters,
  verifyPrefixes,
  verifyVerifications,
  videoAudience,
  videoAudienceOrgs,
  videoAudienceViewers,
  videoPlaybackSessions,
  videoQuality,
  videoQualityErrors,
  videoSpeechEngines,
  rooms,
  smsMessages,
  smsProviders,
  videoViews,
  voiceCalls,
  voiceSwitchboards,
  webhooksEvents,
  webhooksEventStreams,
  webhooksStreamedEvents,
  whatsappBusinessNumbers,
  whatsappContacts,
  whatsappConversations,
  whatsappMessages,
  whatsappNumberContacts,
  whatsappReceiversUnclaimed,
  wikiSnapshotChecks,
  workDedupeKeys,
  workFlows,
  workJobs,
  workKeys,
]
