import { readTracks, type SegmentSamples } from '../../media/package/samples.ts'
import { readBoxes } from './box-stream.ts'
import { readInit, type Track } from './tracks.ts'

export interface FragmentSink {
  /** Called once, with `ftyp` and `moov`. */
  onInit(init: Buffer, tracks: Track[]): void | Promise<void>
  onSamples(samples: SegmentSamples): void
  /** Called with each `moof` and `mdat`. */
  onFragment?(fragment: Buffer): void
}

export async function readFragments(bytes: AsyncIterable<Buffer>, sink: FragmentSink): Promise<void> {
  const header: Buffer[] = []
  let moof: Buffer | undefined
  for await (const box of readBoxes(bytes)) {
    if (box.type === 'ftyp') header.push(Buffer.from(box.bytes))
    else if (box.type === 'moov') {
      header.push(Buffer.from(box.bytes))
      await sink.onInit(Buffer.concat(header), readInit(box.bytes))
    } else if (box.type === 'moof') moof = box.bytes
    else if (box.type === 'mdat' && moof) {
      const fragment = Buffer.concat([moof, box.bytes])
      for (const samples of readTracks(fragment)) sink.onSamples(samples)
      sink.onFragment?.(fragment)
      moof = undefined
    }
  }
}
