import { renderLiquid } from '#lib/liquid/render.ts'
import type { Db } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import type { Brand } from '#sql/notify/brands.ts'
import { isFault, loadPartials, type Partials } from '../../email/rules/templates/bundle.ts'
import { isTemplateId } from '../../email/rules/templates/names.ts'
import { brandContent, builtInLayout } from './brand-layout.ts'

export interface BrandedText {
  title: string
  body: string | null
  url: string | null
}

const usualColor = '#1a56db'

/** Alias of the built-in layout. Customers’ aliases have no spaces. */
const builtIn = 'built in'

export type BrandResult = { html: string } | { refused: { reason: string; detail: string } }

/** Returns the HTML of an email without a template: its text in the layout of the brand. */
export async function renderBranded(
  db: Db,
  brand: Brand,
  { title, body, url }: BrandedText,
  facts: Readonly<Record<string, unknown>>,
): Promise<BrandResult> {
  const layout = await findLayout(db, brand)
  if ('refused' in layout) return layout
  const variables = {
    ...facts,
    ...{ title, body: body ?? '', url: url ?? '', url_text: brand.name === '' ? (url ?? '') : `Open ${brand.name}` },
    brand: getBrandFacts(brand),
    paragraphs: (body ?? '')
      .split(/\n{2,}/)
      .filter((text) => text.trim() !== '')
      .map((text) => text.split('\n')),
  }
  const sources = { html: `{% layout ${JSON.stringify(layout.alias)} %}${brandContent}` }
  const { parts, faults } = await renderLiquid(brand.org_id, {
    sources,
    partials: layout.partials,
    variables,
    globals: {},
  })
  const detail = faults.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  return parts.html === null ? { refused: { reason: 'template_failed', detail } } : { html: parts.html }
}

/** Values of a brand for templates. Empty values are strings, so that templates can test them. */
export const getBrandFacts = (brand: Brand | undefined) => ({
  name: brand?.name ?? '',
  logo_url: brand?.logo_url ?? '',
  color: brand?.color ?? usualColor,
  text_color: isLight(brand?.color ?? usualColor) ? '#000000' : '#ffffff',
  footer: brand?.footer ?? '',
  footer_lines: brand?.footer?.split('\n') ?? [],
})

/** True if black text has more contrast on a colour than white text (WCAG 2.2, relative luminance). */
function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179
}

async function findLayout(
  db: Db,
  { org_id, layout_id, product_key }: Brand,
): Promise<{ alias: string; partials: Partials } | Extract<BrandResult, { refused: unknown }>> {
  if (layout_id === null) return { alias: builtIn, partials: { [builtIn]: { html: builtInLayout } } }
  const found = isTemplateId(layout_id)
    ? await templates.find(db, org_id, layout_id)
    : await templates.findByAlias(db, org_id, layout_id)
  if (found?.kind !== 'layout' || found.alias === null) {
    const detail = `The layout ${layout_id} of the brand of ${product_key} does not exist.`
    return { refused: { reason: 'template_missing', detail } }
  }
  const partials = await loadPartials(db, org_id, [found.alias])
  return isFault(partials)
    ? { refused: { reason: 'template_failed', detail: partials.issue } }
    : { alias: found.alias, partials }
}
