import { transcribeAudio } from './ai/transcribe-audio.ts'
import { discardBucketCopy } from './files/discard-bucket-copy.ts'
import { discardIncoming } from './files/discard-incoming.ts'
import { discardPreviews } from './files/discard-previews.ts'
import { discardVariant } from './files/discard-variant.ts'
import { discardVariants } from './files/discard-variants.ts'
import { expire as expireObjects } from './files/expire.ts'
import { fetchBucketObject } from './files/fetch-bucket-object.ts'
import { makeVariant } from './files/make-variant.ts'
import { measureImage } from './files/measure-image.ts'
import { preview as previewFile } from './files/preview.ts'
import { quarantine } from './files/quarantine.ts'
import { remove as removeObject } from './files/remove.ts'
import { rescan } from './files/rescan.ts'
import { scan } from './files/scan.ts'
import { scanBucketObject } from './files/scan-bucket-object.ts'
import { stripMetadata } from './files/strip-metadata.ts'
import { sweep as sweepObjects } from './files/sweep.ts'
import { sweepVariants } from './files/sweep-variants.ts'
import { tagBucketObject } from './files/tag-bucket-object.ts'
import { testBucket } from './files/test-bucket.ts'
import type { AnyTask } from './queue/task.ts'
import { abortImport } from './video/abort-import.ts'
import { abortUpload } from './video/abort-upload.ts'
import { addSound } from './video/add-sound.ts'
import { certifyDomain } from './video/certify-domain.ts'
import { checkWatermark } from './video/check-watermark.ts'
import { clip } from './video/clip.ts'
import { discard } from './video/discard.ts'
import { discardExtras } from './video/discard-extras.ts'
import { discardFrames } from './video/discard-frames.ts'
import { discardPackage } from './video/discard-package.ts'
import { discardSound } from './video/discard-sound.ts'
import { encodeAudio } from './video/encode-audio.ts'
import { encodeChunk } from './video/encode-chunk.ts'
import { frame } from './video/frame.ts'
import { importUrl } from './video/import.ts'
import { indexCaptions } from './video/index-captions.ts'
import { makeMp4 } from './video/make-mp4.ts'
import { makePreview } from './video/make-preview.ts'
import { openPoster } from './video/open-poster.ts'
import { packageLadder } from './video/package-ladder.ts'
import { packageLowest } from './video/package-lowest.ts'
import { packageSource } from './video/package-source.ts'
import { poster } from './video/poster.ts'
import { probe } from './video/probe.ts'
import { removeAsset } from './video/remove-asset.ts'
import { remux } from './video/remux.ts'
import { renewCertificates } from './video/renew-certificates.ts'
import { retirePackages } from './video/retire-packages.ts'
import { setPoster } from './video/set-poster.ts'
import { sweepUploads } from './video/sweep-uploads.ts'
import { transcribe } from './video/transcribe.ts'

export const mediaTasks: readonly AnyTask[] = [
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
  addSound,
  clip,
  transcribeAudio,
  discardExtras,
  discardSound,
  makePreview,
  setPoster,
  abortImport,
  abortUpload,
  discardFrames,
  frame,
  importUrl,
  indexCaptions,
  makeMp4,
  sweepUploads,
  transcribe,
  certifyDomain,
  renewCertificates,
  scan,
  rescan,
  quarantine,
  discardIncoming,
  discardPreviews,
  discardVariant,
  discardVariants,
  makeVariant,
  measureImage,
  sweepVariants,
  discardBucketCopy,
  expireObjects,
  fetchBucketObject,
  scanBucketObject,
  tagBucketObject,
  testBucket,
  previewFile,
  removeObject,
  sweepObjects,
  stripMetadata,
]
