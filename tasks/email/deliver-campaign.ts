import { task } from '../queue/task.ts'
import { deliver } from './rules/delivery/deliver.ts'
import { deliveryTasks } from './rules/delivery-tasks.ts'

export const deliverCampaign = task({
  ...deliveryTasks.campaign,
  run: (job, tools) => deliver(job, 'campaign', tools),
})
