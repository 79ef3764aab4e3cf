import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createInitialConversationState } from '../../src/core/state/session.ts'
import { agUiSink } from '../../src/entries/ag-ui.ts'
import { parseTranscript } from '../../src/entries/index.ts'

/** A recorded session that the site has with it. */
interface ExampleSource {
  readonly name: string
  readonly program: string
  readonly note: string
  /** A file or a folder in `fixtures/`. */
  readonly path: string
}

/** One session of every program: with agents, where the program has some. */
const EXAMPLES: readonly ExampleSource[] = [
  {
    name: 'claude-code',
    program: 'Claude Code',
    note: 'nested agents',
    path: 'claude-code/06-nested-forward/transcript/-srv-demo',
  },
  { name: 'codex', program: 'Codex', note: 'three agents', path: 'codex/10-three-parallel-v1/sessions' },
  {
    name: 'opencode',
    program: 'OpenCode',
    note: 'edits and diffs',
    path: 'opencode-requests/07-edits/events.ndjson',
  },
  { name: 'gemini', program: 'Gemini CLI', note: 'a subagent', path: 'gemini/06-subagent/store' },
  { name: 'copilot', program: 'GitHub Copilot CLI', note: 'nested agents', path: 'copilot/08-nested/store' },
  { name: 'qwen', program: 'Qwen Code', note: 'a subagent', path: 'qwen/06-subagent/store' },
  { name: 'kimi', program: 'Kimi Code', note: 'a subagent', path: 'kimi/06-subagent-0.43.1/store' },
  { name: 'cline', program: 'Cline CLI', note: 'a subagent', path: 'cline/06-subagent/store' },
  { name: 'pi', program: 'Pi', note: 'a subagent', path: 'pi/0.74-06-subagent/stream.ndjson' },
  { name: 'oh-my-pi', program: 'Oh My Pi', note: 'a subagent', path: 'pi/omp-06-subagent/store' },
  { name: 'grok', program: 'Grok Build', note: 'a subagent', path: 'grok/06-subagent/sessions' },
  { name: 'kilo', program: 'Kilo', note: 'a subagent, live', path: 'kilo/06-subagent/events.ndjson' },
  { name: 'acp', program: 'ACP', note: 'any agent', path: 'acp/07-claude-sub-subagent/load.ndjson' },
]

/** An example with the texts of its files. */
export interface ExampleData extends Omit<ExampleSource, 'path'> {
  readonly files: Readonly<Record<string, string>>
}

/** Returns the examples of the site. AG-UI has no program of its own: its example is written from a session of Claude Code. */
export async function exampleData(fixtures: string): Promise<readonly ExampleData[]> {
  const examples = await Promise.all(
    EXAMPLES.map(async ({ path, ...example }) => ({
      ...example,
      files: await filesAt(join(fixtures, path)),
    })),
  )
  const [stream = ''] = Object.values(
    await filesAt(join(fixtures, 'claude-code/06-nested-forward/stream.ndjson')),
  )
  return [
    ...examples,
    { name: 'ag-ui', program: 'AG-UI', note: 'any server', files: { 'events.ndjson': agUiText(stream) } },
  ]
}

/** Returns the texts of a file or of the files in a folder, by their paths from there. */
async function filesAt(path: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(notAFolder)
  if (!entries) return { [path.slice(path.lastIndexOf('/') + 1)]: await readFile(path, 'utf8') }
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files.sort().map(async (file) => [relative(path, file), await readFile(file, 'utf8')] as const),
    ),
  )
}

function notAFolder(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOTDIR') throw error
}

function agUiText(stream: string): string {
  const state = parseTranscript(stream)
  const { memory, out } = agUiSink.translate(agUiSink.initial, createInitialConversationState())
  const next = agUiSink.translate(memory, state)
  const events = [...out, ...next.out, ...agUiSink.end(next.memory, state).out]
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}
