/** Categories by the threat types of Safe Browsing. Unknown types have none (ThreatType). */
export const categoryOfThreatType: Readonly<Record<string, string>> = {
  MALWARE: 'malware',
  SOCIAL_ENGINEERING: 'phishing',
  UNWANTED_SOFTWARE: 'unwanted_software',
  POTENTIALLY_HARMFUL_APPLICATION: 'harmful_app',
}

/** Threat lists with prefixes of four bytes, and their categories. */
export const threatLists: Readonly<Record<string, string>> = {
  'mw-4b': 'malware',
  'se-4b': 'phishing',
  'uws-4b': 'unwanted_software',
  'pha-4b': 'harmful_app',
}
