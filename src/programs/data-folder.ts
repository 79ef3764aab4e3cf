import type { Environment } from './program.ts'

/** Returns the folder for the data of a program that follows the XDG directories, on every system. */
export function dataFolder({ home, variables }: Environment, program: string): string {
  return `${variables.XDG_DATA_HOME || `${home}/.local/share`}/${program}`
}
