/**
 * Exported columns of each table (allowlist). They contain no secrets, hashes of secrets or tokens. New columns are not
 * exported until they are added here.
 */
export const exported: Readonly<Record<string, string>> = {
  'webhooks.events': 'id type data sample created_at',
  'webhooks.deliveries':
    'id event_id endpoint_id status attempts due_at attempted_at response_status latency_ms response_head error created_at',
  'webhooks.endpoints':
    'id area name mode paused_at url events previous_until status disabled_reason disabled_at failing_since failures resume_at created_at',
  'email.campaigns':
    'id key_id sandbox name subject html text from_email from_name status reason recipients expanded blocked last_contact created_at started_at finished_at preheader segment_id segment send_at ended_at',
  'email.segments': 'id name match conditions groups created_at updated_at',
  'email.reconfirmations':
    'id key_id domain_id from_email from_name subject html text asked after_id stopped created_at ended_at',
  'email.messages':
    'id key_id sandbox stream domain_id from_email from_name to_email subject content_id campaign_id contact_id template_id message_id status reply_class reason created_at sent_at delivered_at deferred_at bounced_at failed_at suppressed_at complained_at recipient copy_of send_at cancelled_at tags metadata to_written from_written',
  'email.message_tags': 'message_id name value',
  'email.merges': 'message_id fields created_at',
  'email.attempts':
    'id message_id number outcome reply_class mx_host mx_address pool local_address tls replies started_at ended_at',
  'email.sandbox_messages': 'message_id bytes created_at',
  'email.contents': 'id html text reply_to headers attachments created_at recipients',
  'email.past_recipients': 'message_id to_email from_email from_name created_at',
  'email.past_asked': 'email asked_at',
  'email.contacts':
    'id email status consent_source created_at confirmed_at unsubscribed_at asked_at name attributes tags written',
  'email.contact_events': 'id contact_id kind source message_id detail at',
  'email.sandbox_contacts':
    'id email status consent_source created_at confirmed_at unsubscribed_at asked_at name attributes tags written',
  'email.sandbox_contact_events': 'id contact_id kind source message_id detail at',
  'email.strikes': 'email reply_class strikes last_at',
  'email.suppressions': 'email reason message_id detail created_at id',
  'email.templates': 'id name subject html text created_at updated_at',
  'email.domains':
    'id domain return_path status verified_by checks failed_passes created_at checked_at verified_at passed_at',
  'email.dkim_keys': 'id domain_id selector algorithm public_key published created_at',
  'email.inbound': 'id kind message_id remote_address detail created_at',
  'email.inbound_routes': 'id domain_id host local_part created_at',
  'email.received':
    'id route_id status recipient sender remote_address remote_network helo bytes sha256 fault from_email from_name to_emails subject message_id replies_to auto_submitted no_auto_reply text html reply headers authentication attachments created_at told_at',
  'email.daily': 'day stream accepted sent delivered deferred bounced hard_bounced failed suppressed complained taken',
  'email.usage': 'month messages granted',
  'email.reputation': 'marketing reason warned_at paused_at counted_from',
  'push.messages':
    'id app_id push_user_id user_id target audience content priority collapse_key dry_run status rate quiet_hours cursor_user cursor expanded paced_at created_at send_at expires_at ended_at',
  'push.attempts':
    'id message_id delivery_id number outcome provider_status reason retry_after_seconds provider_message_id latency_ms error created_at',
  'push.deliveries':
    'id app_id message_id installation_id push_user_id provider environment platform status reason event attempts due_at created_at sent_at delivered_at displayed_at opened_at dismissed_at',
  'push.installations':
    'id app_id push_user_id provider environment platform locale time_zone tags status invalidated_reason invalidated_at registered_at created_at device_id used_at',
  'push.users': 'id app_id user_id locale time_zone created_at last_event',
  'push.subscriptions': 'id app_id topic push_user_id installation_id created_at',
  'push.apps': 'id name created_at',
  'push.credentials':
    'id app_id provider environment created_at check_state check_reason checked_at failures open_until open_reason proven_at',
  'push.daily': 'app_id day provider platform status reason count',
  'push.templates': 'id name locales default_locale version created_at updated_at',
  'notify.events':
    'id key_id user_id subject product_key type title body data url dedupe_key chosen_by channels run_id created_at',
  'notify.copies':
    'event_id channel digest_id person_id recipient recipient_user is_contact sender from_domains status reason detail message_id ended_at',
  'notify.inbox': 'id user_id product_key number read_number read_at seen_at archived_at mark_number shown',
  'notify.digests': 'id user_id product_key type due_at sent_at',
  'notify.preferences': 'id user_id product_key type channels digest_minutes updated_at',
  'notify.users': 'user_id last_number forgotten',
  'notify.people':
    'id user_id subject name email phone push_app_id push_user_id locale time_zone data created_at updated_at',
  'notify.workflows':
    'id key name product_key type fallback_locale steps version published_version created_at updated_at',
  'notify.workflow_versions': 'workflow_id version key product_key type fallback_locale steps is_current created_at',
  'notify.texts': 'id type locale version edition title body is_removed is_current created_at',
  'notify.editions': 'number',
  'notify.runs':
    'id workflow_id workflow version event_id user_id key_id person_id recipient edition digest_key gathering state reason step begun due_at created_at ended_at',
  'notify.run_steps': 'run_id number type channel state reason detail message_id text_locale text_version due_at at',
  'whatsapp.messages':
    'id direction phone wa_id type content fallback fell_back fallback_of context_message_id client_reference status error provider_message_id send_at tries created_at taken_at number_id uploads',
  'whatsapp.statuses': 'message_id status at error',
  'whatsapp.media': 'message_id provider_media_id state object_id reason created_at ended_at',
  'whatsapp.business_numbers':
    'id phone_number_id account_id display_phone verified_name state subscribed created_at rotated_at removed_at',
  'whatsapp.number_contacts': 'number_id wa_id last_inbound_at closed_at',
  'whatsapp.conversations': 'wa_id last_inbound_at paced_until',
  'whatsapp.receivers': 'phone_number_id',
  'voice.calls':
    'id key_id caller_id status reason ended_by ring_timeout_seconds max_duration_seconds metadata switchboard_id hangup_requested_at created_at answered_at ended_at',
  'voice.legs': 'call_id leg number status trunk dialog sip_status ringing_at answered_at ended_at',
  'voice.numbers': 'id number friendly_name country type status created_at',
  'voice.rules': 'id key_id countries max_concurrent max_per_day updated_at',
  'guard.sites': 'id name site_key origins policy created_at',
  'guard.hourly': 'site_id hour tier outcome bucket count',
  'trust.listings': 'id hostname policy note created_at',
  'trust.watches': 'id url note verdict categories changed_at created_at',
  'ai.usage': 'day operation outcome requests prompt_tokens completion_tokens',
  'bots.conversations': 'id bot_id bot_version user_id variables last_seq closed_at created_at updated_at',
  'bots.messages':
    'id bot_id conversation_id seq role content status metadata streamed try generation citations finish_reason engine model usage author error created_at ended_at',
  'bots.bots':
    'id slug name tagline description category languages avatar_url version retention_days handover popularity published_at created_at updated_at',
  'bots.documents': 'id bot_id title url text characters created_at',
  'bots.sources':
    'id bot_id title url object_id refresh_hours status try error content_type cut etag last_modified requested_at checked_at changed_at refresh_at created_at',
  'bots.actions': 'id bot_id name description url parameters triggers enabled created_at',
  'bots.action_calls': 'id action_id message_id arguments status http_status answer error ms created_at',
  'bots.unanswered': 'id bot_id fingerprint question times first_at last_at',
  'bots.handovers': 'conversation_id id bot_id reason note last_message waits created_at updated_at',
  'bots.versions':
    'bot_id version template_key template_version system_prompt greeting fallback starter_questions variables variable_values temperature max_tokens created_at',
  'identity.checks':
    'id subject requirement status method object_id reason_code reason verified_at expires_at reported_at updated_at',
  'identity.readings': 'id object_id subject status reason facts checks requested_at read_at',
  'identity.prompts': 'id subject requirement return_to uploads object_id expires_at used_at',
  'wiki.articles':
    'id slug language status version published_version first_published_at withdrawal_reason withdrawn_at revision created_at updated_at',
  'wiki.article_versions':
    'id article_id number title summary body tags comment author key_id restored_from size sha256 created_at',
  'wiki.claim_articles': 'article_id claim_id',
  'wiki.article_places': 'article_id parent_id position',
  'wiki.settings': 'review updated_at',
  'wiki.pictures': 'article_id object_id',
  'wiki.reviews': 'id article_id version key_id reviewer decision comment evidence created_at',
  'wiki.slugs': 'slug article_id',
  'wiki.claims': 'id entity_id property value qualifiers rank deprecation_reason created_at updated_at',
  'wiki.claim_references':
    'id claim_id source_id snapshot_id quote locator page paragraph quote_verified created_at names_value',
  'wiki.snapshots':
    'id source_id status final_url http_status content_type title size sha256 text text_sha256 text_length unchanged error_code error_message requested_at captured_at reading last_checked_at bytes_pruned_at',
  'wiki.snapshot_checks': 'id snapshot_id checked_at',
  'wiki.sources': 'id uri canonical_url type title publisher authors published_at created_at updated_at',
  'wiki.entities': 'id type labels descriptions aliases external_ids created_at updated_at',
  'rooms.recordings': 'id room_id asset_id state message started_at ended_at',
  'rooms.chunks': 'recording_id number epoch bytes created_at',
  'rooms.broadcasts': 'id room_id channel_id state stop_requested end_reason message started_at live_at ended_at',
  'rooms.restreams': 'id room_id name url enabled created_at',
  'rooms.rooms':
    'id name max_participants record empty_timeout_seconds chat waiting_room layout created_at started_at empty_since ended_at end_reason',
  'rooms.waiting': 'room_id waiting_id identity display_name role worker_id connection_id state since gone_at',
  'rooms.participants':
    'room_id participant_id identity display_name role worker_id connection_id state tracks joined_at left_at left_reason kicked_at mute_requested',
  'directory.live_streams':
    'id listed status channel_id title description language hls_path viewer_count scheduled_start_at started_at ended_at created_at',
  'directory.videos':
    'id listed published_at asset_title duration_seconds width height poster captions channel_id title description tags language kind was_live views',
  'directory.playlists': 'id title description visibility videos created_at updated_at',
  'directory.channels': 'id handle name description language links created_at updated_at',
  'live.broadcasts': 'id channel_id record started_at live_at ended_at end_reason asset_id recorded_at',
  'live.chunks': 'broadcast_id number epoch bytes duration_seconds created_at',
  'live.channels':
    'id name slug record dvr_seconds renditions slate srt_port closed_until created_at deleted_at visibility directory_id',
  'live.restreams': 'id channel_id name url enabled created_at',
  'live.refusals': 'channel_id source reason refused_at',
  'video.playback_sessions':
    'id asset_id host viewer_id expires_at revoked_at created_at allowed_countries blocked_countries max_concurrent channel_id',
  'video.uploads': 'id asset_id bytes part_bytes parts state expires_at created_at',
  'video.imports':
    'asset_id url state total part_bytes received whole setbacks restarts turn_ends_at expires_at created_at',
  'video.mp4s': 'asset_id package_id rendition state bytes created_at',
  'video.assets':
    'id title description metadata external_ref filename mime_type bytes profile visibility status stage failure_code failure_summary duration_seconds width height frame_rate poster package_id playable_at processing_at ready_at created_at source_removed_at watermark deleted_at captions caption_tracks left_out',
  'video.captions':
    'id asset_id language state engine cues failure_code failure_summary created_at ready_at source name is_default revision body',
  'video.caption_pieces': 'captions_id from_seconds to_seconds words',
  'video.quality_errors': 'asset_id at code fatal count',
  'video.quality_hours':
    'asset_id at views failed_views starts startup play_ms rebuffer_ms rebuffers bits decoded dropped switches',
  'video.renditions': 'asset_id package_id name width height frames segments bytes peak_bit_rate mean_bit_rate codec',
  'video.views': 'session_id view_id asset_id sequence counted before created_at',
  'video.watermarks': 'id name bytes content_type width height state created_at',
  'video.embedding': 'origins updated_at',
  'video.domains': 'id hostname verified_at created_at',
  'files.objects':
    'id product_key tenant_id filename content_type byte_size checksum_sha256 scan_status place sha256 sniffed_type scan_id scanned_with upload_expires_at uploaded_at scanned_at quarantined_at deleted_at version_of version last_version created_at metadata_stripped release_id',
  'files.releases': 'id object_id scan_id sha256 overruled grounds actor reason released_at',
  'files.scans':
    'id object_id cause status sha256 engine signature_version heuristics_version reasons reused_from created_at started_at finished_at superseded_at',
  'files.state_changes': 'id object_id from_status to_status from_place to_place deleted scan_id at release_id',
  'account.exports': 'id state requested_by created_at finished_at expires_at bytes counts error',
  'account.invitations': 'id email role invited_by made_by_key created_at sent_at expires_at accepted_at revoked_at',
  'account.support_grants': 'id granted_by reason created_at expires_at ended_at',
  'account.connections': 'id issuer client_id domains required default_role takes_unmarked_email created_at',
  'account.identities': 'connection_id issuer subject user_id created_at',
  'account.members': 'user_id role invited_by created_at',
  'account.browser_sessions': 'id user_id method created_at authenticated_at seen_at expires_at network agent',
  'account.keys':
    'id prefix name scopes locks mode created_by expires_at rate_per_minute networks note made_by_key created_at last_used_at revoked_at',
  'account.audit':
    'id org_id number created_at actor_kind actor_id actor_name action target request_id network before after previous_hash hash',
  'account.key_secrets': 'id key_id start created_at expires_at first_used_at last_used_at revoked_at',
  'account.requests':
    'id key_id client_id operation status code ms bytes_in bytes_out network sdk jobs resource_id error',
  'account.request_minutes': 'at key_id operation class count ms',
  'account.request_hours': 'at key_id operation class count ms',
  'account.request_windows': 'key_id opened_at ends_at',
  'account.usage_daily': 'day metric dimension amount',
  'account.budgets': 'metric period soft hard alert_at updated_at',
  'account.test_messages': 'id key_id channel recipient title content created_at',
  'account.budget_alerts': 'metric period starts_on percent used limit created_at',
  'webhooks.settings': 'keep_events',
}

export const notExported: Readonly<Record<string, string>> = {
  'account.usage_reservations': 'Reserved for the minutes of a call.',
  'account.idempotency': 'Responses of the last day, stored for repeated requests.',
  'account.storage': 'Running total of the rows in this table.',
  'account.sessions': 'Sessions of operators.',
  'guard.challenges': 'Stored for minutes, with responses.',
  'guard.tokens': 'Hashes of tokens that are valid for minutes.',
  'guard.assessments': 'Minutes old.',
  'guard.visitors': 'Hashed counts, stored for minutes.',
  'email.deliveries': 'The queue. Rows and attempts of each message contain its result.',
  'live.sessions': 'The broadcast in progress.',
  'live.web_publishers': 'Current publishers in web pages.',
  'rooms.sessions': 'The server of a room.',
  'rooms.dead_tokens': 'Revoked tokens.',
  'ai.completions': 'Requests in progress, and requests with an idempotency key for a day.',
  'ai.pieces': 'Parts of their responses.',
  'ai.embeddings': 'Derived from text while it is used.',
  'bots.chunks': 'Parts of messages.',
  'bots.passages': 'Parts of documents.',
  'knowledge.sources': 'Copy of documents and articles, for searches.',
  'knowledge.chunks': 'Parts of documents.',
  'knowledge.postings': 'Words of documents, for searches.',
  'knowledge.vectors': 'Embeddings of documents, for searches.',
  'wiki.published': 'Words of articles, for searches.',
  'wiki.loose_bytes': 'Bytes that are being deleted.',
  'directory.viewers': 'Hashes, stored for a day.',
  'video.asset_metadata': 'Copy of the metadata of assets, for lists.',
  'video.parts': 'Work in progress.',
  'video.playlists': 'Made from renditions.',
  'video.acme_challenges': 'Secrets that are valid for minutes.',
  'video.certificates': 'Private keys.',
  'jobs.runs': 'Operational data of the platform.',
  'jobs.attempts': 'Operational data of the platform.',
  'jobs.failures': 'Operational data of the platform.',
  'jobs.shares': 'Operational data of the platform.',
}
