import { task } from '../queue/task.ts'
import { deliver } from './rules/delivery/deliver.ts'
import { deliveryTasks } from './rules/delivery-tasks.ts'

export const deliverTransactional = task({
  ...deliveryTasks.transactional,
  run: (job, tools) => deliver(job, 'transactional', tools),
})
