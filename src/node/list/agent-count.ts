import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SessionConversationState } from '../../state/session.ts'
import type { AgentFilePlaces, Format } from '../../wires/format.ts'
import { fileReader } from '../files/file-reader.ts'
import { isMissing, readError } from '../files/read-error.ts'

/**
 * Returns the number of a session's agents; undefined if only the whole session says it. `state` is that of the session's own file, and
 * absent if the file was not read to its end.
 */
export async function agentCount(
  path: string,
  { files }: Format,
  state: SessionConversationState | undefined,
): Promise<number | undefined> {
  const places = files.agentFiles(path)
  // The agents of such a program may have started others in files that nothing names.
  if (!places) return state?.blocks.length && state.subagents.length === 0 ? 0 : undefined
  if (places.folder === undefined) return agentsBeside(path, files, places)
  const stored = new Set(await agentsInFolder(places.folder, files))
  if (!state) return stored.size === 0 ? undefined : stored.size
  return countAll(stored, state)
}

async function agentsInFolder(folder: string, files: Format['files']): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).flatMap((name) => {
      const { agentId, isFacts, isProgramAgent } = files.part(name)
      return agentId === undefined || isFacts || isProgramAgent ? [] : agentId
    })
  } catch (error) {
    if (isMissing(error)) return []
    throw readError(error, folder)
  }
}

/** The files have the nested agents too. The state has the agents without a file, and some of them have no known id. */
function countAll(stored: ReadonlySet<string>, { subagents }: SessionConversationState): number {
  const ids = new Set([...stored, ...subagents.flatMap(({ agentId }) => agentId ?? [])])
  return Math.max(ids.size, subagents.length)
}

/** Reads the beginnings of the files beside the session's own, because their names do not show the session. */
async function agentsBeside(path: string, files: Format['files'], places: AgentFilePlaces): Promise<number> {
  const names = (await readdir(dirname(path))).filter((name) => places.isBeside(name))
  const others = names.map((name) => join(dirname(path), name)).filter((other) => other !== path)
  const own = files.select([path, ...others], fileReader, path)
  return own.filter((each) => files.part(each, path).agentId !== undefined).length
}
