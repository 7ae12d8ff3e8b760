/** Messages for viewers by error code. The player page and its JavaScript use them. */
export const viewerMessages: Readonly<Record<string, string>> = {
  token_expired: 'This link has expired.',
  token_revoked: 'This link has been revoked.',
  token_invalid: 'This link is not valid.',
  host_mismatch: 'This link is for a different site.',
  asset_private: 'This video is private.',
  country_not_allowed: 'This video is not available in your country.',
  channel_not_live: 'The broadcast has not started. It will play here when it starts.',
  broadcast_away: 'The broadcast is interrupted. It will play here when it continues.',
  broadcast_over: 'The broadcast has ended.',
  not_found: 'This video does not exist.',
  rate_limited: 'Too many requests. Please try again in a moment.',
  network: 'The connection was lost.',
  media: 'Your browser cannot play this video.',
  other: 'The video cannot be played at the moment.',
}

export const getViewerMessage = (code: string): string => viewerMessages[code] ?? (viewerMessages.other as string)
