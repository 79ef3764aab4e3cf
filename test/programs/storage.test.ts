import { expect, it } from 'vitest'
import { databaseOf } from '../../src/node/files/database-path.ts'
import { allPrograms, programOf } from '../../src/programs/all.ts'
import { storageOf } from '../../src/programs/storages.ts'

const ENVIRONMENT = { home: '/home/a', variables: {} }

function placesOf(name: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const program = programOf(name)
  if (!program) throw new Error(`no program ${name}`)
  const environment = { ...ENVIRONMENT, variables }
  const folders = storageOf(name)?.folders(environment) ?? []
  const database = databaseOf(program, environment)
  return [...folders.map(({ path, depth }) => path + '/*'.repeat(depth)), ...(database ? [database] : [])]
}

// Each variable and its rule are those that the program itself reads.
it.each([
  ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, ['/c/projects/*']],
  ['codex', { CODEX_HOME: '/c' }, ['/c/sessions/*/*/*', '/c/archived_sessions']],
  ['copilot', { COPILOT_HOME: '/c' }, ['/c/session-state/*']],
  ['gemini', { GEMINI_CLI_HOME: '/c' }, ['/c/.gemini/tmp/*/*']],
  ['kimi', { KIMI_CODE_HOME: '/c' }, ['/c/sessions/*/*/*/*']],
  ['qwen', { QWEN_HOME: '/c' }, ['/c/projects/*/*']],
  ['qwen', { QWEN_HOME: '/c', QWEN_RUNTIME_DIR: '/d' }, ['/d/projects/*/*']],
  ['pi', { PI_CODING_AGENT_DIR: '/c' }, ['/c/sessions/*']],
  ['pi', { PI_CODING_AGENT_DIR: '/c', PI_CODING_AGENT_SESSION_DIR: '/d' }, ['/d']],
  ['grok', { GROK_HOME: '/c' }, ['/c/sessions/*/*']],
  ['cline', { CLINE_DIR: '/c' }, ['/c/data/sessions/*']],
  ['cline', { CLINE_DIR: '/c', CLINE_DATA_DIR: '/d' }, ['/d/sessions/*']],
  ['cline', { CLINE_DATA_DIR: '/d', CLINE_SESSION_DATA_DIR: '/e' }, ['/e/*']],
  ['opencode', { XDG_DATA_HOME: '/c' }, ['/c/opencode/storage/session/*', '/c/opencode/opencode.db']],
  [
    'opencode',
    { OPENCODE_DB: '/c/own.db' },
    ['/home/a/.local/share/opencode/storage/session/*', '/c/own.db'],
  ],
  ['kilo', { KILO_DB: 'own.db' }, ['/home/a/.local/share/kilo/own.db']],
] as const)('%s keeps its sessions where %o says', (name, variables, places) => {
  expect(placesOf(name, variables)).toEqual(places)
})

it('keeps everything in the home folder without variables', () => {
  const places = allPrograms().flatMap(({ names: [name] }) => placesOf(name, {}))
  expect(places.length).toBeGreaterThan(12)
  expect(places.filter((place) => !place.startsWith('/home/a/.'))).toEqual([])
})
