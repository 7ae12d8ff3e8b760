import type { Db } from '#sql/db.ts'
import * as folders from '#sql/files/folders.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { section } from './section.ts'

/** Maximum number of folders on a page. The API lists all of them. */
const mostShown = 100

export const folderPath = (folder: string | undefined): string => `${section.path}${queryString({ folder })}`

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1)

/** Renders the path of a folder, and the folders in it. Without a folder, renders the folders of the top level. */
export async function folderNavigation(db: Db, orgId: string, folder: string | undefined): Promise<Html | undefined> {
  const inside = { parent: folder ?? '', after: undefined, limit: mostShown }
  const found = await folders.list(db, { orgId }, inside)
  if (folder === undefined && found.length === 0) return undefined
  const children = found.map((one) => html`<li><a href="${folderPath(one.folder)}">${nameOf(one.folder)}</a></li>`)
  return html`<nav class="folders" aria-label="Folders">${folder !== undefined && trailOf(folder)}
${children.length > 0 && html`<ul class="groups">${children}</ul>`}</nav>`
}

function trailOf(folder: string): Html {
  const parts = folder.split('/')
  const above = parts.slice(0, -1).map((name, i) => {
    const path = parts.slice(0, i + 1).join('/')
    return html`<a href="${folderPath(path)}">${name}</a> / `
  })
  return html`<p class="trail"><a href="${section.path}">All files</a> / ${above}${parts.at(-1)}</p>`
}
