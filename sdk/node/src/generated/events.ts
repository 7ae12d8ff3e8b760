// Made by `npm run sdk` from the document of the API.

import type {
  EventsAccountKeyCreated,
  EventsAccountKeyExpiring,
  EventsAccountKeyRevoked,
  EventsAccountKeyRotated,
  EventsAccountMemberAdded,
  EventsAccountMemberChanged,
  EventsAccountMemberRemoved,
  EventsAccountUsageThreshold,
  EventsBotsAnswerCompleted,
  EventsBotsAnswerFailed,
  EventsBotsConversationHandedOver,
  EventsBotsConversationReplied,
  EventsBotsConversationReturned,
  EventsEmailAccepted,
  EventsEmailBounced,
  EventsEmailCampaignCancelled,
  EventsEmailCampaignFinished,
  EventsEmailCampaignPaused,
  EventsEmailCampaignSent,
  EventsEmailCancelled,
  EventsEmailComplained,
  EventsEmailContactConfirmed,
  EventsEmailContactUnsubscribed,
  EventsEmailDeferred,
  EventsEmailDelivered,
  EventsEmailDomainFailed,
  EventsEmailDomainVerified,
  EventsEmailFailed,
  EventsEmailInboundStorageWarning,
  EventsEmailMarketingPaused,
  EventsEmailMarketingResumed,
  EventsEmailReceived,
  EventsEmailReputationWarning,
  EventsEmailSent,
  EventsEmailSuppressed,
  EventsErpRegisterChanged,
  EventsFilesObjectClean,
  EventsFilesObjectInfected,
  EventsGuardSiteChanged,
  EventsGuardSiteCreated,
  EventsGuardSiteDeleted,
  EventsGuardSiteKeyRotated,
  EventsIdentityCheckDecided,
  EventsIdentityCheckRejected,
  EventsIdentityCheckSubmitted,
  EventsIdentityCheckVerified,
  EventsIdentityDocumentRead,
  EventsNotifyEventAccepted,
  EventsNotifyRunEnded,
  EventsPushDelivered,
  EventsPushFailed,
  EventsPushInstallationInvalidated,
  EventsPushOpened,
  EventsTrustListingRemoved,
  EventsTrustListingSet,
  EventsTrustWatchChanged,
  EventsVideoAssetDeleted,
  EventsVideoAssetFailed,
  EventsVideoAssetPlayable,
  EventsVideoAssetReady,
  EventsVideoAssetUpdated,
  EventsVideoCaptionsReady,
  EventsVideoLiveEnded,
  EventsVideoLiveRecorded,
  EventsVideoLiveStarted,
  EventsVideoRoomEnded,
  EventsVideoRoomParticipantJoined,
  EventsVideoRoomParticipantLeft,
  EventsVideoRoomParticipantWaiting,
  EventsVideoRoomStarted,
  EventsVoiceCallAnswered,
  EventsVoiceCallEnded,
  EventsVoiceCallRinging,
  EventsWebhooksEndpointDisabled,
  EventsWebhooksTest,
  EventsWhatsappMediaFailed,
  EventsWhatsappMediaRefused,
  EventsWhatsappMediaStored,
  EventsWhatsappMessageAccepted,
  EventsWhatsappMessageDelivered,
  EventsWhatsappMessageFailed,
  EventsWhatsappMessageRead,
  EventsWhatsappMessageReceived,
  EventsWhatsappMessageSent,
  EventsWhatsappMessageUnknown,
  EventsWhatsappNumberConnected,
  EventsWhatsappNumberRemoved,
  EventsWhatsappTemplateChanged,
  EventsWikiArticlePublished,
  EventsWikiArticleWithdrawn,
} from './types.ts'

/** The events that this version of the client knows, by their types. */
export interface KnownEvents {
  'account.key.created': EventsAccountKeyCreated
  'account.key.expiring': EventsAccountKeyExpiring
  'account.key.revoked': EventsAccountKeyRevoked
  'account.key.rotated': EventsAccountKeyRotated
  'account.member.added': EventsAccountMemberAdded
  'account.member.changed': EventsAccountMemberChanged
  'account.member.removed': EventsAccountMemberRemoved
  'account.usage.threshold': EventsAccountUsageThreshold
  'bots.answer.completed': EventsBotsAnswerCompleted
  'bots.answer.failed': EventsBotsAnswerFailed
  'bots.conversation.handed_over': EventsBotsConversationHandedOver
  'bots.conversation.replied': EventsBotsConversationReplied
  'bots.conversation.returned': EventsBotsConversationReturned
  'email.accepted': EventsEmailAccepted
  'email.bounced': EventsEmailBounced
  'email.campaign.cancelled': EventsEmailCampaignCancelled
  'email.campaign.finished': EventsEmailCampaignFinished
  'email.campaign.paused': EventsEmailCampaignPaused
  'email.campaign.sent': EventsEmailCampaignSent
  'email.cancelled': EventsEmailCancelled
  'email.complained': EventsEmailComplained
  'email.contact.confirmed': EventsEmailContactConfirmed
  'email.contact.unsubscribed': EventsEmailContactUnsubscribed
  'email.deferred': EventsEmailDeferred
  'email.delivered': EventsEmailDelivered
  'email.domain.failed': EventsEmailDomainFailed
  'email.domain.verified': EventsEmailDomainVerified
  'email.failed': EventsEmailFailed
  'email.inbound_storage.warning': EventsEmailInboundStorageWarning
  'email.marketing.paused': EventsEmailMarketingPaused
  'email.marketing.resumed': EventsEmailMarketingResumed
  'email.received': EventsEmailReceived
  'email.reputation.warning': EventsEmailReputationWarning
  'email.sent': EventsEmailSent
  'email.suppressed': EventsEmailSuppressed
  'erp.register.changed': EventsErpRegisterChanged
  'files.object.clean': EventsFilesObjectClean
  'files.object.infected': EventsFilesObjectInfected
  'guard.site.changed': EventsGuardSiteChanged
  'guard.site.created': EventsGuardSiteCreated
  'guard.site.deleted': EventsGuardSiteDeleted
  'guard.site.key_rotated': EventsGuardSiteKeyRotated
  'identity.check.decided': EventsIdentityCheckDecided
  'identity.check.rejected': EventsIdentityCheckRejected
  'identity.check.submitted': EventsIdentityCheckSubmitted
  'identity.check.verified': EventsIdentityCheckVerified
  'identity.document.read': EventsIdentityDocumentRead
  'notify.event.accepted': EventsNotifyEventAccepted
  'notify.run.ended': EventsNotifyRunEnded
  'push.delivered': EventsPushDelivered
  'push.failed': EventsPushFailed
  'push.installation.invalidated': EventsPushInstallationInvalidated
  'push.opened': EventsPushOpened
  'trust.listing.removed': EventsTrustListingRemoved
  'trust.listing.set': EventsTrustListingSet
  'trust.watch.changed': EventsTrustWatchChanged
  'video.asset.deleted': EventsVideoAssetDeleted
  'video.asset.failed': EventsVideoAssetFailed
  'video.asset.playable': EventsVideoAssetPlayable
  'video.asset.ready': EventsVideoAssetReady
  'video.asset.updated': EventsVideoAssetUpdated
  'video.captions.ready': EventsVideoCaptionsReady
  'video.live.ended': EventsVideoLiveEnded
  'video.live.recorded': EventsVideoLiveRecorded
  'video.live.started': EventsVideoLiveStarted
  'video.room.ended': EventsVideoRoomEnded
  'video.room.participant.joined': EventsVideoRoomParticipantJoined
  'video.room.participant.left': EventsVideoRoomParticipantLeft
  'video.room.participant.waiting': EventsVideoRoomParticipantWaiting
  'video.room.started': EventsVideoRoomStarted
  'voice.call.answered': EventsVoiceCallAnswered
  'voice.call.ended': EventsVoiceCallEnded
  'voice.call.ringing': EventsVoiceCallRinging
  'webhooks.endpoint.disabled': EventsWebhooksEndpointDisabled
  'webhooks.test': EventsWebhooksTest
  'whatsapp.media.failed': EventsWhatsappMediaFailed
  'whatsapp.media.refused': EventsWhatsappMediaRefused
  'whatsapp.media.stored': EventsWhatsappMediaStored
  'whatsapp.message.accepted': EventsWhatsappMessageAccepted
  'whatsapp.message.delivered': EventsWhatsappMessageDelivered
  'whatsapp.message.failed': EventsWhatsappMessageFailed
  'whatsapp.message.read': EventsWhatsappMessageRead
  'whatsapp.message.received': EventsWhatsappMessageReceived
  'whatsapp.message.sent': EventsWhatsappMessageSent
  'whatsapp.message.unknown': EventsWhatsappMessageUnknown
  'whatsapp.number.connected': EventsWhatsappNumberConnected
  'whatsapp.number.removed': EventsWhatsappNumberRemoved
  'whatsapp.template.changed': EventsWhatsappTemplateChanged
  'wiki.article.published': EventsWikiArticlePublished
  'wiki.article.withdrawn': EventsWikiArticleWithdrawn
}

/** An event that this version of the client knows: its `type` tells what its `data` is. */
export type KnownEvent = KnownEvents[keyof KnownEvents]

/** The types of `KnownEvent`. */
export const knownEventTypes: ReadonlySet<string> = new Set<keyof KnownEvents>([
  'account.key.created',
  'account.key.expiring',
  'account.key.revoked',
  'account.key.rotated',
  'account.member.added',
  'account.member.changed',
  'account.member.removed',
  'account.usage.threshold',
  'bots.answer.completed',
  'bots.answer.failed',
  'bots.conversation.handed_over',
  'bots.conversation.replied',
  'bots.conversation.returned',
  'email.accepted',
  'email.bounced',
  'email.campaign.cancelled',
  'email.campaign.finished',
  'email.campaign.paused',
  'email.campaign.sent',
  'email.cancelled',
  'email.complained',
  'email.contact.confirmed',
  'email.contact.unsubscribed',
  'email.deferred',
  'email.delivered',
  'email.domain.failed',
  'email.domain.verified',
  'email.failed',
  'email.inbound_storage.warning',
  'email.marketing.paused',
  'email.marketing.resumed',
  'email.received',
  'email.reputation.warning',
  'email.sent',
  'email.suppressed',
  'erp.register.changed',
  'files.object.clean',
  'files.object.infected',
  'guard.site.changed',
  'guard.site.created',
  'guard.site.deleted',
  'guard.site.key_rotated',
  'identity.check.decided',
  'identity.check.rejected',
  'identity.check.submitted',
  'identity.check.verified',
  'identity.document.read',
  'notify.event.accepted',
  'notify.run.ended',
  'push.delivered',
  'push.failed',
  'push.installation.invalidated',
  'push.opened',
  'trust.listing.removed',
  'trust.listing.set',
  'trust.watch.changed',
  'video.asset.deleted',
  'video.asset.failed',
  'video.asset.playable',
  'video.asset.ready',
  'video.asset.updated',
  'video.captions.ready',
  'video.live.ended',
  'video.live.recorded',
  'video.live.started',
  'video.room.ended',
  'video.room.participant.joined',
  'video.room.participant.left',
  'video.room.participant.waiting',
  'video.room.started',
  'voice.call.answered',
  'voice.call.ended',
  'voice.call.ringing',
  'webhooks.endpoint.disabled',
  'webhooks.test',
  'whatsapp.media.failed',
  'whatsapp.media.refused',
  'whatsapp.media.stored',
  'whatsapp.message.accepted',
  'whatsapp.message.delivered',
  'whatsapp.message.failed',
  'whatsapp.message.read',
  'whatsapp.message.received',
  'whatsapp.message.sent',
  'whatsapp.message.unknown',
  'whatsapp.number.connected',
  'whatsapp.number.removed',
  'whatsapp.template.changed',
  'wiki.article.published',
  'wiki.article.withdrawn',
])
