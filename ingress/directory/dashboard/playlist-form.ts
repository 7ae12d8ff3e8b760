import { z } from 'zod'
import { Visibility } from '#sql/directory/playlists.ts'
import { type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

export const Fields = z.object({
  title: z.string(),
  description: z.string(),
  visibility: Visibility,
  videos: z.string(),
})

export const toPlaylistBody = ({ videos, description, ...given }: z.output<typeof Fields>) => ({
  ...given,
  description: description.replaceAll('\r\n', '\n'),
  videos: videos
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(idOf),
})

const idOf = (line: string): string => URL.parse(line)?.pathname.split('/').at(-1) ?? line

const visibilities = [
  ['public', 'public: listed'],
  ['unlisted', 'unlisted: anyone with the URL'],
] as const

export function renderPlaylistFields(filled: FormState, now: Partial<z.output<typeof Fields>> = {}): Html {
  return html`${textField(filled, { name: 'title', label: 'Title', required: true, otherwise: now.title ?? '' })}
${linesField(filled, { name: 'description', label: 'Description', otherwise: now.description, few: true, prose: true })}
${selectField(filled, { name: 'visibility', label: 'Visibility', options: visibilities, otherwise: now.visibility ?? 'public' })}
${linesField(filled, {
  name: 'videos',
  label: 'Videos',
  hint: 'One per line, in order: the ID of your video, or the URL of a public video page.',
  otherwise: now.videos,
  few: true,
})}`
}
