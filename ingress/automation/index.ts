import { area } from '../http/area.ts'
import * as editPages from './dashboard/edit.ts'
import * as rulePages from './dashboard/rules.ts'
import * as runPages from './dashboard/runs.ts'
import { section } from './dashboard/section.ts'
import * as testPages from './dashboard/test.ts'
import * as rules from './rules.ts'
import * as runs from './runs.ts'

/**
 * Rules on events.
 * Terms:
 * - rule: an event type, conditions on the data of the event, and one action
 * - action: starts a workflow, creates a job, or sends an email template
 * - run: one event that has started a rule
 */
export const automation = area({
  name: 'automation',
  title: 'Automation',
  description: 'Start a workflow, a job or an email when an event matches a rule.',
  base: '/v1/automation',
  platform: true,
  routes: { rules, runs },
  dashboard: {
    finders: [...rulePages.finders, ...runPages.finders],
    sections: [section],
    pages: { editPages, rulePages, runPages, testPages },
    regions: { 'automation-runs': runPages.runsRegion, 'automation-run': runPages.runRegion },
  },
})
