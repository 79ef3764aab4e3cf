import type { RecordedProgram } from '../program.ts'
import { hasFailures, stopOf } from '../script.ts'
import { addingPatch, changingPatch, type ToolTable, toolCalls } from '../tools.ts'

const EDITS: ToolTable = {
  command: (command) => ({ name: 'run_commands', input: { commands: [command] } }),
  read: (path) => ({ name: 'read_files', input: { files: [{ path }] } }),
  write: (path, content) => ({ name: 'editor', input: { path, new_text: content } }),
  edit: (path, from, to) => ({ name: 'editor', input: { path, old_text: from, new_text: to } }),
  agent: ({ prompt }) => ({
    name: 'spawn_agent',
    input: { systemPrompt: 'You are a helper.', task: prompt },
  }),
}

/** Over the Agent Client Protocol, main has no editor. */
const PATCHES: ToolTable = {
  ...EDITS,
  write: (path, content) => ({ name: 'apply_patch', input: { input: addingPatch(path, content) } }),
  edit: (path, from, to) => ({ name: 'apply_patch', input: { input: changingPatch(path, from, to) } }),
}

/** Cline CLI: `cline --json`. */
export const cline: RecordedProgram = {
  name: 'cline',
  factName: 'cline',
  packages: ['cline'],
  needsNode22: true,
  compactsBy: 'command',
  tools: {
    call: (call, offer) => toolCalls(offer.tools.includes('apply_patch') ? PATCHES : EDITS)(call, offer),
  },
  command: ({ installed, run }) => [`${installed}/node_modules/.bin/cline`, '--json', run.prompt],
  environment: ({ node }) => ({
    CI: '1',
    USER: 'demo',
    PATH: `${node.replace(/\/[^/]+$/, '')}:/usr/local/bin:/usr/bin:/bin`,
  }),
  homeFiles: ({ url, scenario }) => ({
    '.cline/data/settings/providers.json': JSON.stringify(providers(url)),
    ...(scenario.hasTools && {
      '.cline/data/settings/cline_mcp_settings.json': JSON.stringify({
        mcpServers: { demo: { type: 'streamableHttp', url: `${url}/mcp`, disabled: false } },
      }),
    }),
  }),
  stores: [['.cline/data/sessions', 'store/.cline/data/sessions']],
  forms: (scenario) => ({
    // A reply that was cut leaves a message without tokens.
    store: {
      lacks: [
        'reasoning',
        ...(stopOf(scenario) ? ['cuts'] : []),
        ...(hasFailures(scenario) ? ['requests'] : []),
      ],
    },
    stream: { lacks: ['prompts', 'reasoning', 'child-prompts'] },
  }),
  keepsCutTexts: true,
  cannot: {
    picture: 'its command line has only the name of a file',
    'stopped-agent': 'its file of an agent is empty before the agent has ended',
    nested: 'its agents start no agents',
    background: 'its agents work while their call waits',
    refusal: '`cline --json` asks nobody',
    compaction: 'its command line has no command for it',
    resume: 'its command line resumes no session with `--json`',
  },
}

function providers(url: string) {
  const settings = { provider: 'openai-compatible', apiKey: 'none', model: 'script', baseUrl: `${url}/v1` }
  return {
    version: 1,
    lastUsedProvider: 'openai-compatible',
    modes: {},
    providers: {
      'openai-compatible': { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' },
    },
  }
}
