import { z } from 'zod'
import { concurrency, flag, http, list, port, text } from './values.ts'

/** What the scan pool and the embedded clamd read. */
export const scan = {
  SCAN_CONCURRENCY: concurrency.default(4).describe('malware scans at once in one worker'),
  SCAN_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 2)
    .default(2 ** 30)
    .describe('largest object that the files area takes; under 2 GiB, more than which ClamAV cannot scan'),
  CLAMD_PATH: text.default('/usr/sbin/clamd').describe('clamd program of the embedded malware scanner'),
  CLAMD_SOCKET: text.optional().describe('Unix socket of clamd; default: the embedded one'),
  CLAMD_HOST: text.optional().describe('host of a clamd that is reached over TCP, in place of a socket'),
  CLAMD_PORT: port.default(3310).describe('its port'),
  FRESHCLAM: flag
    .default(true)
    .describe(
      'fetch signatures for the embedded clamd; they take it 1.5 GB of memory, without them it knows tests only',
    ),
  CLAMAV_MIRROR: http.optional().describe('mirror of ClamAV’s signatures that is asked; default: ClamAV’s own servers'),
  CLAMAV_SIGNATURE_URLS: list
    .pipe(z.array(http))
    .default([])
    .describe('further signature files that are fetched for the embedded clamd: URLs, with commas between'),
}
