import { environmentOf } from '../../node/list/listing.ts'
import { allFormats } from '../../wires/all.ts'

/** Returns the folders and databases in which the programs of this machine keep their sessions. */
export function sessionPlaces(home: string | undefined): readonly string[] {
  const environment = environmentOf(home)
  return allFormats().flatMap(({ storage }) => [
    ...storage.folders(environment).map(({ path }) => path),
    ...(storage.database?.paths(environment) ?? []),
  ])
}
