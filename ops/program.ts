import { access, constants } from 'node:fs/promises'

/** Whether a file is there that this user may run. */
export const isProgram = async (path: string): Promise<boolean> =>
  await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
