import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import process from 'node:process'
import { allPrograms } from '../../programs/all.ts'
import type { Architecture, Environment, Program, ProgramStorage } from '../../programs/program.ts'
import { storageOf } from '../../programs/storages.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { databaseOf, databasesOf } from '../files/database-path.ts'

/** The places where a program keeps its sessions. */
interface ProgramPlaces {
  readonly program: Program
  readonly wire: Architecture
  readonly folders: ReturnType<ProgramStorage['folders']>
  readonly files: readonly string[]
  readonly databases: readonly string[]
}

/**
 * Returns the places of all programs. A home, and a variable that a program reads, may be a list with commas: the
 * program has several homes then. A folder whose name has a comma is one.
 */
export function programPlaces(home: string | undefined): readonly ProgramPlaces[] {
  const environments = homesOf(home).map(environmentOf)
  return allPrograms().map((program) => {
    const storage = storageOf(program.names[0])
    const all = environments.flatMap((environment) => variantsOf(program, storage, environment))
    const folders = all.flatMap((environment) => storage?.folders(environment) ?? [])
    const files = all.flatMap((environment) => storage?.files?.(environment) ?? [])
    const databases = all.flatMap((environment) => databasesOf(program, environment))
    const byPath = new Map(folders.map((folder) => [folder.path, folder]))
    return {
      ...{ program, wire: program.wire, folders: [...byPath.values()] },
      files: [...new Set(files)],
      databases: [...new Set(databases)],
    }
  })
}

/** Returns the folders and databases in which the programs keep their sessions. */
export function sessionPlaces(home: string | undefined): readonly string[] {
  return programPlaces(home).flatMap(({ folders, files, databases }) => [
    ...folders.map(({ path }) => path),
    ...files,
    ...databases,
  ])
}

/** Returns this process's environment, or one with that home folder and no variables. */
export function environmentOf(home: string | undefined): Environment {
  if (home !== undefined) return { home, variables: {} }
  return { home: ownHome(), variables: process.env }
}

function ownHome(): string {
  try {
    // With an empty `HOME`, all paths would be relative.
    return homedir() || userInfo().homedir
  } catch (cause) {
    // A user in a container may have no entry.
    throw new TranscriptError('unreadable', 'the user has no home folder: set HOME', { cause })
  }
}

/** Returns the home folders that a text names. */
export function homesOf(home: string | undefined): readonly (string | undefined)[] {
  return home === undefined ? [undefined] : listOf(home)
}

/** Splits a list at its commas. The longest text that is a path counts: the name of a folder may have commas. */
function listOf(value: string): readonly string[] {
  const parts = value.split(',')
  if (parts.length === 1) return [value]
  const found: string[] = []
  for (let start = 0; start < parts.length; ) {
    let end = parts.length
    const text = () => parts.slice(start, end).join(',').trim()
    while (end > start + 1 && !existsSync(text())) end -= 1
    if (text() !== '') found.push(text())
    start = end
  }
  return found
}

/** Returns an environment for each value of the variables that the program reads and that are lists. */
function variantsOf(
  program: Program,
  storage: ProgramStorage | undefined,
  { home, variables }: Environment,
): readonly Environment[] {
  const read = new Set<string>()
  const traced = new Proxy(variables, {
    get(target, name) {
      if (typeof name === 'string') read.add(name)
      return typeof name === 'string' ? target[name] : undefined
    },
  })
  storage?.folders({ home, variables: traced })
  storage?.files?.({ home, variables: traced })
  databaseOf(program, { home, variables: traced })
  let variants: readonly Environment['variables'][] = [variables]
  for (const name of read) {
    const values = listOf(variables[name] ?? '')
    if (values.length > 1)
      variants = variants.flatMap((each) => values.map((value) => ({ ...each, [name]: value })))
  }
  return variants.map((each) => ({ home, variables: each }))
}
