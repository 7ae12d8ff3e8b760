import { task } from '../queue/task.ts'
import { deliver } from './rules/delivery/deliver.ts'
import { deliveryTasks } from './rules/delivery-tasks.ts'

/** Delivers subscribed and repermission mail. */
export const deliverCampaign = task({
  ...deliveryTasks.campaign,
  run: (job, tools) => deliver(job, 'campaign', tools),
})
