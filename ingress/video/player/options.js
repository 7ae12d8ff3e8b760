import { secondsOf } from './cues.js'

const list = (text) => text.split(/[\s,]/).filter((word) => word !== '')
const within = (number, least, most) => (number >= least && number <= most ? number : undefined)

function hexColor(text) {
  const digits = text.startsWith('#') ? text.slice(1) : text
  const isHex = [...digits].every((digit) => '0123456789abcdef'.includes(digit.toLowerCase()))
  return digits.length === 6 && isHex ? `#${digits}` : undefined
}

function speedsOf(text) {
  const speeds = list(text).map((word) => within(Number(word), 0.25, 4))
  if (speeds.length === 0 || speeds.length > 12 || speeds.includes(undefined)) return
  return [...new Set(speeds)].sort((a, b) => a - b)
}

export const [slowest, fastest] = [0.25, 4]
const usual = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

const flag = { read: (text) => !['false', '0', 'no'].includes(text), rule: '', otherwise: false }
const any = { read: (text) => text, rule: '', otherwise: undefined }

const shows = new Map(Object.entries({ '': true, all: true, true: true, 1: true, none: false, false: false, 0: false }))

const named = (values) => (text) => (Object.hasOwn(values, text) ? values[text] : undefined)
const off = { false: null, 0: null, no: null }

/** Application ID of Google's default media receiver. */
const defaultReceiver = 'CC1AD845'
const isReceiver = (text) => text.length === 8 && [...text].every((digit) => '0123456789ABCDEF'.includes(digit))

function receiverOf(text) {
  const known = named({ '': defaultReceiver, 1: defaultReceiver, true: defaultReceiver, ...off })(text)
  return known === undefined && isReceiver(text.toUpperCase()) ? text.toUpperCase() : known
}

/** Returns the name of the viewer, which may be empty, or `null` if positions are not stored. */
const viewerOf = (text) =>
  text.length > 200 ? undefined : (named({ 1: '', true: '', ...off })(text) ?? (text in off ? null : text))

const readers = {
  autoplay: flag,
  muted: flag,
  loop: flag,
  start: {
    read: (text) => within(secondsOf(text), 0, 1e6),
    rule: 'must be seconds, or a time such as 1:30',
    otherwise: 0,
  },
  captions: { ...any, otherwise: null },
  color: { read: hexColor, rule: 'must be six hexadecimal digits, such as ff8800', otherwise: '#ffffff' },
  controls: {
    read: (text) => shows.get(text),
    rule: 'must be all or none',
    otherwise: true,
  },
  speeds: { read: speedsOf, rule: 'must be up to 12 numbers from 0.25 to 4, such as 0.5 1 2', otherwise: usual },
  title: { ...any, otherwise: '' },
  poster: any,
  chapters: any,
  cast: { read: receiverOf, rule: 'must be empty, or the 8 characters of a receiver application ID', otherwise: null },
  keys: { read: (text) => shows.get(text), rule: 'must be all or none', otherwise: true },
  remote: { read: (text) => shows.get(text), rule: 'must be all or none', otherwise: true },
  resume: { read: viewerOf, rule: 'must be empty, or an ID of the viewer of up to 200 characters', otherwise: null },
  transcript: {
    read: named({ '': 'closed', 1: 'closed', true: 'closed', open: 'open', ...off }),
    rule: 'must be empty or open',
    otherwise: null,
  },
}

export const optionNames = Object.keys(readers)

export const sourceNames = ['src', 'playback-id', 'token', 'view']

/** Returns the value of an attribute, or its default. */
export function optionOf(element, name) {
  const { read, rule, otherwise } = readers[name]
  const text = element.getAttribute(name)?.trim()
  if (text === undefined) return otherwise
  const value = read(text)
  if (value === undefined) console.warn(`mill-player: ${name} ${rule}, not "${text.slice(0, 100)}"`)
  return value ?? otherwise
}

/**
 * Returns the URL of the master playlist: `src`, or a URL on the host of this file. That URL contains the `token`, or
 * the `playback-id` of a video that needs no token.
 */
export function sourceOf(element) {
  const [src, id, token] = ['src', 'playback-id', 'token'].map((name) => element.getAttribute(name)?.trim())
  const at = (path) => new URL(`/v1/stream/${path}/master.m3u8`, import.meta.url).href
  if (src) return URL.canParse(src, element.baseURI) ? new URL(src, element.baseURI).href : undefined
  if (token) return at(`play/${encodeURIComponent(token)}`)
  return id ? at(`open/${encodeURIComponent(id)}`) : undefined
}

/** True if the URL is a broadcast. A broadcast has no preview images and may not have started yet. */
export const isBroadcast = (source) => new URL(source).pathname.includes('/stream/live/')

export const viewTokenOf = (element, source) =>
  /\/play\/([^/]+)\/master\.m3u8$/.exec(new URL(source).pathname)?.[1] ?? element.getAttribute('view')
