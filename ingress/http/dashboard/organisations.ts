import * as members from '#sql/account/people/members.ts'
import type { Db } from '#sql/db.ts'
import { type Html, html } from '../html/html.ts'
import { icon } from '../html/icons.ts'
import { tokenField } from '../html/parts.ts'
import type { Member } from './session.ts'

/** Returns the organisations that accept sign-ins without an identity provider. */
export async function listSignInOrganisations(db: Db, userId: string): Promise<readonly members.Membership[]> {
  return (await members.listOf(db, userId)).filter(({ sso_required }) => !sso_required)
}

/** Renders the name of the organisation. If the member can switch to others without a new sign-in, it is a menu. */
export async function renderOrganisation(db: Db, member: Member): Promise<Html> {
  const others =
    member.method === 'oidc'
      ? []
      : (await listSignInOrganisations(db, member.userId)).filter(({ org_id }) => org_id !== member.orgId)
  if (others.length === 0) return html`<span class="context">${member.orgName}</span>`
  return html`<details class="drop switch"><summary><span class="unseen">Organisation: </span><span class="context">${member.orgName}</span>${icon('arrows')}</summary>
<div class="card"><p class="quiet">Switch to</p><ul>${others.map(
    ({ org_id, org_name, role }) =>
      html`<li><form method="post" action="/app/you/organisations/${org_id}">${tokenField(member)}<button class="plain">${org_name} <span class="quiet">${role}</span></button></form></li>`,
  )}</ul></div></details>`
}
