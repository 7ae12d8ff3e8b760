import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { ProfileName } from '#tasks/erp/rules/profiles/index.ts'
import { gleifCsv, lei } from './published.ts'
import { erpStack } from './stack.ts'

const stack = await erpStack(t)
const { ask } = stack
const folder = t.testdir({})
await stack.startWorker()

async function imported(name: string, content: string, profile: ProfileName, given = {}) {
  const path = join(folder, name)
  await writeFile(path, content)
  return await stack.imported(path, profile, given)
}

const [parent, child, branch, unknown] = [
  'PARENT000000000000',
  'CHILD0000000000000',
  'BRANCH000000000000',
  'NOWHERE00000000000',
].map(lei) as [string, string, string, string]
const company = (of: string, name: string, code: string) => ({ lei: of, name, code })
await imported(
  'gleif.csv',
  gleifCsv([
    company(parent, 'Parent SA', '100'),
    company(child, 'Child SA', '200'),
    company(branch, 'Branch SA', '300'),
  ]),
  'gleif',
)

const csvHeader =
  'Relationship.StartNode.NodeID,Relationship.EndNode.NodeID,Relationship.RelationshipType,Relationship.RelationshipStatus,Relationship.Period.1.startDate,Relationship.Period.1.endDate,Relationship.Period.1.periodType'
const csvLine = (from: string, to: string, type: string, since = '2020-01-01T00:00:00Z') =>
  `${from},${to},${type},ACTIVE,${since},,RELATIONSHIP_PERIOD`

const xmlRelation = (from: string, to: string, type: string) => `
  <rr:RelationshipRecord><rr:Relationship>
    <rr:StartNode><rr:NodeID>${from}</rr:NodeID><rr:NodeIDType>LEI</rr:NodeIDType></rr:StartNode>
    <rr:EndNode><rr:NodeID>${to}</rr:NodeID><rr:NodeIDType>LEI</rr:NodeIDType></rr:EndNode>
    <rr:RelationshipType>${type}</rr:RelationshipType>
    <rr:RelationshipPeriods>
      <rr:RelationshipPeriod><rr:StartDate>2026-01-01T00:00:00Z</rr:StartDate><rr:PeriodType>ACCOUNTING_PERIOD</rr:PeriodType></rr:RelationshipPeriod>
      <rr:RelationshipPeriod><rr:StartDate>2021-02-03T00:00:00.000Z</rr:StartDate><rr:PeriodType>RELATIONSHIP_PERIOD</rr:PeriodType></rr:RelationshipPeriod>
    </rr:RelationshipPeriods>
    <rr:RelationshipStatus>ACTIVE</rr:RelationshipStatus>
  </rr:Relationship></rr:RelationshipRecord>`
const xmlFile = (records: string, before = '') => `<?xml version="1.0" encoding="UTF-8"?>${before}
<rr:RelationshipData xmlns:rr="http://www.gleif.org/data/schema/rr/2016"><rr:Header><rr:RecordCount>1</rr:RecordCount></rr:Header>
<rr:RelationshipRecords>${records}</rr:RelationshipRecords></rr:RelationshipData>`

const relations = async (code: string, query = '') =>
  (await ask(`GET /v1/erp/companies/${code}/relations?${query}`)).body

t.test('relations of a CSV file are listed from both ends, and a broken row is left out', async (t) => {
  t.match(await relations('200'), { data: [], known: false })
  const lines = [
    csvHeader,
    csvLine(child, parent, 'IS_DIRECTLY_CONSOLIDATED_BY'),
    csvLine(branch, parent, 'IS_INTERNATIONAL_BRANCH_OF'),
    csvLine('BROKEN', parent, 'IS_DIRECTLY_CONSOLIDATED_BY'),
    csvLine(child, unknown, 'IS_FUND-MANAGED_BY'),
  ]
  const done = await imported('rr.csv', lines.join('\n'), 'gleif-relations')
  t.match(done, {
    state: 'done',
    counts: { read: 3, added: 3, left_out: 1 },
    faults: [{ line: 4, issue: 'invalid LEI: BROKEN' }],
  })
  const parents = await relations('200')
  t.match(parents, {
    known: true,
    data: [
      { kind: 'fund_manager', lei: unknown, company: null },
      {
        kind: 'direct_parent',
        lei: parent,
        company: { code: '100', name: 'Parent SA', status: 'active' },
        since: '2020-01-01',
        until: null,
        reason: null,
        status: 'active',
        source: { register: 'GLEIF relationships', licence: 'CC0 1.0' },
      },
    ],
  })
  const first = await relations('100', 'direction=children&limit=1')
  t.match(first.data, [{ kind: 'head_office', company: { name: 'Branch SA' } }])
  const second = await relations('100', `direction=children&limit=1&cursor=${first.next_cursor}`)
  t.match(second, { data: [{ kind: 'direct_parent', company: { name: 'Child SA' } }], next_cursor: null })
})

t.test('an XML file replaces them, keeps what is the same, and a cycle does no harm', async (t) => {
  const records =
    xmlRelation(child, parent, 'IS_DIRECTLY_CONSOLIDATED_BY') +
    xmlRelation(parent, child, 'IS_ULTIMATELY_CONSOLIDATED_BY')
  t.match(await imported('rr.xml', xmlFile(records), 'gleif-relations'), {
    state: 'done',
    counts: { read: 2, added: 2, missing: 3 },
  })
  t.match(await relations('200'), { data: [{ kind: 'direct_parent', lei: parent, since: '2021-02-03' }] })
  t.match(await relations('100'), { data: [{ kind: 'ultimate_parent', lei: child }] })
  t.match(await imported('same.xml', xmlFile(records), 'gleif-relations'), { counts: { added: 0, missing: 0 } })
})

t.test('a record of many empty elements is rejected before it fills the memory', async (t) => {
  const open = '<rr:RelationshipRecord>'
  const full = xmlFile(
    xmlRelation(child, parent, 'IS_DIRECTLY_CONSOLIDATED_BY').replace(open, open + '<a/>'.repeat(20_000)),
  )
  t.ok(full.length < 200_000 && full.includes('<a/>'))
  t.match(await imported('full.xml', full, 'gleif-relations'), {
    state: 'failed',
    error: /more than 1000000 characters/,
  })
})

t.test('reporting exceptions say why there is no parent, from CSV and XML', async (t) => {
  const csv = `LEI,Exception.Category,Exception.Reason.1\n${branch},DIRECT_ACCOUNTING_CONSOLIDATION_PARENT,NATURAL_PERSONS\n`
  await imported('repex.csv', csv, 'gleif-exceptions')
  const shown = { kind: 'direct_parent', lei: null, company: null, reason: 'natural_persons' }
  t.match((await relations('300')).data, [shown])
  const xml = `<repex:ReportingExceptionData xmlns:repex="x"><repex:ReportingExceptions><repex:Exception><repex:LEI>${branch}</repex:LEI>
<repex:ExceptionCategory>ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT</repex:ExceptionCategory><repex:ExceptionReason>NON_PUBLIC</repex:ExceptionReason></repex:Exception></repex:ReportingExceptions></repex:ReportingExceptionData>`
  await imported('repex.xml', xml, 'gleif-exceptions')
  t.match((await relations('300')).data, [{ kind: 'ultimate_parent', reason: 'non_public' }])
  t.equal((await relations('300')).data.length, 1)
})

t.test('companies of level 1 are read from XML', async (t) => {
  const own = lei('XMLCOMPANY00000000')
  const xml = `<lei:LEIData xmlns:lei="x"><lei:LEIRecords><lei:LEIRecord><lei:LEI>${own}</lei:LEI><lei:Entity>
<lei:LegalName xml:lang="fr">Société &amp; Fils</lei:LegalName>
<lei:OtherEntityNames><lei:OtherEntityName type="PREVIOUS_LEGAL_NAME">Ancien</lei:OtherEntityName></lei:OtherEntityNames>
<lei:LegalAddress><lei:FirstAddressLine>1 Rue</lei:FirstAddressLine><lei:City>Paris</lei:City><lei:Country>FR</lei:Country></lei:LegalAddress>
<lei:RegistrationAuthority><lei:RegistrationAuthorityEntityID>900</lei:RegistrationAuthorityEntityID></lei:RegistrationAuthority>
<lei:LegalJurisdiction>FR</lei:LegalJurisdiction><lei:EntityStatus>ACTIVE</lei:EntityStatus></lei:Entity></lei:LEIRecord></lei:LEIRecords></lei:LEIData>`
  t.match(await imported('lei.xml', xml, 'gleif', { partial: true }), { state: 'done', counts: { added: 1 } })
  t.match((await ask('GET /v1/erp/companies/900')).body, {
    name: 'Société & Fils',
    previous_names: ['Ancien'],
    lei: own,
    registered_address: { city: 'Paris' },
  })
})

t.test('XML that is hostile or damaged is rejected, and the relations are kept', async (t) => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]>`
  const wrong: [string, RegExp][] = [
    [xmlFile(xmlRelation('&j;', parent, 'IS_DIRECTLY_CONSOLIDATED_BY'), bomb), /not valid XML/],
    [xmlFile(xmlRelation(child, parent, 'IS_DIRECTLY_CONSOLIDATED_BY')).slice(0, -40), /not valid XML/],
    [xmlFile(''), /no element RelationshipRecord/],
    [xmlFile(`<rr:RelationshipRecord>${'<a>'.repeat(100)}`), /nested more than 64/],
    [
      xmlFile(`<rr:RelationshipRecord><a>${'x'.repeat(1_200_000)}</a></rr:RelationshipRecord>`),
      /more than 1000000 characters/,
    ],
    [
      xmlFile(`<rr:RelationshipRecord>${`<a>${'x'.repeat(1_000)}</a>`.repeat(1_200)}</rr:RelationshipRecord>`),
      /more than 1000000 characters/,
    ],
    [
      xmlFile('<rr:RelationshipRecord><__proto__><polluted>1</polluted></__proto__></rr:RelationshipRecord>'),
      /does not contain Relationship/,
    ],
  ]
  for (const [content, error] of wrong)
    t.match(await imported('wrong.xml', content, 'gleif-relations'), { state: 'failed', error })
  t.match(await imported('uk.xml', xmlFile(''), 'uk'), { state: 'failed', error: /not valid CSV/ })
  t.equal('polluted' in {}, false)
  t.equal((await relations('200')).data.length, 1)
  t.match(await ask('GET /v1/erp/companies/200/relations?direction=up&limit=0'), {
    status: 400,
    body: { error: { details: [{ field: 'query.direction' }, { field: 'query.limit' }] } },
  })
})
