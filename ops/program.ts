import { access, constants } from 'node:fs/promises'

/** True if a file exists and this user can execute it. */
export const isProgram = async (path: string): Promise<boolean> =>
  await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
