import { dirname, join } from 'node:path'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { AgentFilePlaces, FolderReader, Format } from '../../wires/format.ts'

/**
 * Returns the number of a session's agents; undefined if only the whole session says it. `state` is that of the session's own file, and
 * absent if the file was not read to its end.
 */
export function agentCount(
  path: string,
  { files }: Format,
  reader: FolderReader,
  state: SessionConversationState | undefined,
): number | undefined {
  const places = files.agentFiles(path, reader)
  if (files.hasAllAgents) return state?.subagents.length
  // The agents of such a program may have started others in files that nothing names.
  if (!places) return state?.blocks.length && state.subagents.length === 0 ? 0 : undefined
  const stored = new Set(storedAgents(path, files, places, reader))
  if (places.folder === undefined) return stored.size
  if (!state) return stored.size === 0 ? undefined : stored.size
  return countAll(stored, state)
}

/** Returns the ids of the agents with a file. It reads the beginnings of files whose names do not show the session. */
function storedAgents(
  path: string,
  files: Format['files'],
  { folder, isBeside }: AgentFilePlaces,
  reader: FolderReader,
): readonly string[] {
  const place = folder ?? dirname(path)
  const names = reader.names(place).filter((name) => folder !== undefined || isBeside(name))
  const others = names.map((name) => join(place, name)).filter((other) => other !== path)
  const [, ...agents] = files.transcripts([path, ...others], reader, path)
  return agents.flatMap(({ id }) => id ?? [])
}

/** The files have the nested agents too. The state has the agents without a file, and some of them have no known id. */
function countAll(stored: ReadonlySet<string>, { subagents }: SessionConversationState): number {
  const ids = new Set([...stored, ...subagents.flatMap(({ agentId }) => agentId ?? [])])
  return Math.max(ids.size, subagents.length)
}
