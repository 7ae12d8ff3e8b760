import t from 'tap'
import type { PackagedRendition } from '#tasks/video/engine.ts'
import {
  addCaptions,
  captionsPlaylist,
  firstVariant,
  parseCaptionsFileName,
} from '#tasks/video/rules/captions/playlist.ts'
import { masterPlaylist } from '#tasks/video/rules/hls/master-playlist.ts'
import { readMediaPlaylist } from '#tasks/video/rules/hls/media-playlist.ts'
import { rational } from '#tasks/video/rules/transcode/rational.ts'

const picture = (name: string, width: number, height: number, peakBitRate: number): PackagedRendition => ({
  name,
  playlist: `${name}.m3u8`,
  width,
  height,
  frames: 100,
  segments: 1,
  bytes: 1,
  peakBitRate,
  meanBitRate: peakBitRate / 2,
  codec: 'avc1.640028',
})
const sound = { ...picture('audio', 0, 0, 130_000), frames: 0, codec: 'mp4a.40.2' }

t.test('a master playlist lists the best first and adds the sound to every rate', async (t) => {
  const renditions = [picture('360p', 640, 360, 800_000), picture('1080p', 1920, 1080, 5_000_000), sound]
  t.equal(
    masterPlaylist({ renditions, rate: rational(30000, 1001) }),
    `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=5130000,AVERAGE-BANDWIDTH=2565000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,VIDEO-RANGE=SDR,FRAME-RATE=29.970,AUDIO="audio"
1080p.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=930000,AVERAGE-BANDWIDTH=465000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=640x360,VIDEO-RANGE=SDR,FRAME-RATE=29.970,AUDIO="audio"
360p.m3u8
`,
  )
})

const english = { language: 'en', name: null, isDefault: false, source: 'automatic', revision: '' } as const

t.test('captions are offered as a group that every variant names, and only where there are some', async (t) => {
  const renditions = [picture('720p', 1280, 720, 3_000_000), picture('360p', 640, 360, 800_000), sound]
  const master = masterPlaylist({ renditions, rate: rational(25) })
  t.equal(addCaptions(master, []), master)
  const text = addCaptions(master, [english])
  t.match(
    text,
    /TYPE=SUBTITLES,GROUP-ID="captions",NAME="English \(automatic\)",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES/,
  )
  t.match(text, /STREAM-INF:.*SUBTITLES="captions"\n720p\.m3u8\n.*SUBTITLES="captions"\n360p\.m3u8/)
  t.equal(text.match(/TYPE=SUBTITLES/g)?.length, 1)
  const alone = addCaptions(masterPlaylist({ renditions: [sound], rate: null }), [english])
  t.match(alone, /URI="captions_en\.m3u8"\n#EXT-X-STREAM-INF:.*SUBTITLES="captions"\naudio\.m3u8/)
})

t.test('the playlist of captions is cut like the film', async (t) => {
  const film = {
    map: 'a_init.mp4',
    target: 6,
    segments: [6.006, 6.006, 1.5].map((seconds) => ({ file: 'x', seconds })),
  }
  const read = readMediaPlaylist(captionsPlaylist('en', film))
  t.equal(read.target, 6)
  t.strictSame(
    read.segments,
    [6.006, 6.006, 1.5].map((seconds, i) => ({ file: `captions_en_0000${i}.vtt`, seconds })),
  )
  t.strictSame(parseCaptionsFileName('captions_en_00012.vtt'), { language: 'en', part: 12 })
  t.strictSame(
    parseCaptionsFileName('captions_en.vtt'),
    { language: 'en', part: 'whole' },
    'as older playlists name it',
  )
  t.strictSame(parseCaptionsFileName('captions_en.m3u8'), { language: 'en', part: 'playlist' })
  for (const name of ['audio.m3u8', 'captions_en_00000.m3u8', 'captions_en_1.vtt'])
    t.equal(parseCaptionsFileName(name), undefined, name)
  const renditions = [picture('720p', 1280, 720, 3_000_000), sound]
  t.equal(firstVariant(addCaptions(masterPlaylist({ renditions, rate: rational(25) }), [english])), '720p.m3u8')
  t.equal(firstVariant(masterPlaylist({ renditions: [sound], rate: null })), 'audio.m3u8')
})

t.test('sound alone has no resolution and no group', async (t) => {
  const text = masterPlaylist({ renditions: [sound], rate: null })
  t.match(text, '#EXT-X-STREAM-INF:BANDWIDTH=130000,AVERAGE-BANDWIDTH=65000,CODECS="mp4a.40.2"\naudio.m3u8\n')
  t.notMatch(text, /RESOLUTION|EXT-X-MEDIA:/)
})

t.test('a media playlist gives its segments with their lengths', async (t) => {
  const text =
    '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI="a_init.mp4"\n#EXTINF:6.006000,\na_0.m4s\n#EXTINF:1.5,\na_1.m4s\n#EXT-X-ENDLIST\n'
  t.strictSame(readMediaPlaylist(text), {
    map: 'a_init.mp4',
    target: 6,
    segments: [
      { file: 'a_0.m4s', seconds: 6.006 },
      { file: 'a_1.m4s', seconds: 1.5 },
    ],
  })
})
