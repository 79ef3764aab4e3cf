import { homedir } from 'node:os'
import process from 'node:process'
import { allFormats } from '../../formats/all.ts'

/** Returns the folders and databases in which the programs of this machine keep their sessions. */
export function sessionPlaces(home: string | undefined): readonly string[] {
  const environment =
    home === undefined ? { home: homedir(), variables: process.env } : { home, variables: {} }
  return allFormats().flatMap(({ storage }) => [
    ...storage.folders(environment).map(({ path }) => path),
    ...(storage.database?.paths(environment) ?? []),
  ])
}
