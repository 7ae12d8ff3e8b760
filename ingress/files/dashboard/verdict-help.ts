import type { ScanStatus } from '#sql/files/objects.ts'

/** One sentence about each verdict that says what it means and what to do. */
export const verdictHelp: Readonly<Record<ScanStatus, string>> = {
  awaiting_upload: 'The file has not arrived yet. If the upload was interrupted, upload the file again.',
  pending: 'The file is waiting for its malware scan. This page updates by itself.',
  scanning: 'The malware scan is running. This page updates by itself.',
  clean: 'The scan found nothing harmful. The file can be downloaded and shared.',
  infected:
    'The scanner knows this file as malware. It is quarantined. Delete it, and warn the person who uploaded it.',
  suspicious:
    'The file looks dangerous, but no known malware was found. It is quarantined. Ask for the file in a simpler format, or delete it.',
  unscannable:
    'The scanner cannot read this file, because it is encrypted, damaged or too deeply nested. Ask for the file without a password.',
  error: 'The scan failed for a technical reason. Scan the file again.',
}
