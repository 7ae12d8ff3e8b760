import { access, constants } from 'node:fs/promises'

export const isProgram = async (path: string): Promise<boolean> =>
  await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
