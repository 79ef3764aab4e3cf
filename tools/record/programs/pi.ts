import type { RecordedProgram } from '../program.ts'
import { programFile } from '../program-file.ts'
import { hasFailures, stopOf } from '../script.ts'
import { toolCalls } from '../tools.ts'

const PACKAGE = '@earendil-works/pi-coding-agent'

const NO_AGENTS = 'it has no agents of its own'

/** Pi: `pi --mode json`. */
export const pi: RecordedProgram = {
  name: 'pi',
  factName: 'pi',
  packages: [PACKAGE],
  needsNode22: true,
  compactsBy: 'limit',
  tools: {
    call: toolCalls({
      command: (command) => ({ name: 'bash', input: { command } }),
      read: (path) => ({ name: 'read', input: { path } }),
      write: (path, content) => ({ name: 'write', input: { path, content } }),
      edit: (path, from, to) => ({ name: 'edit', input: { path, edits: [{ oldText: from, newText: to }] } }),
      agent: ({ prompt }) => ({ name: 'subagent', input: { agent: 'worker', task: prompt } }),
    }),
  },
  command: ({ installed, node, run, resumes }) => [
    node,
    programFile(installed, `${PACKAGE}/dist/bundle/cli.js`, `${PACKAGE}/dist/cli.js`),
    ...[
      '--mode',
      'json',
      ...(resumes ? ['--continue'] : []),
      ...(run.isOtherModel ? ['--model', 'script/other'] : []),
      '-p',
      run.prompt,
    ],
  ],
  environment: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
  homeFiles: ({ url, scenario }) => ({
    ...(scenario.hasTools && {
      '.pi/agent/mcp.json': JSON.stringify({
        mcpServers: { demo: { url: `${url}/mcp`, exposure: 'direct' } },
      }),
    }),
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        script: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: 'none',
          models: [MODEL, { ...MODEL, id: 'other', name: 'other' }],
        },
      },
    }),
    '.pi/agent/settings.json': JSON.stringify({
      defaultProvider: 'script',
      defaultModel: 'script',
      defaultThinkingLevel: 'off',
      enableInstallTelemetry: false,
      retry: { enabled: true, maxRetries: 2, baseDelayMs: 300 },
    }),
  }),
  stores: [['.pi/agent/sessions', 'store/.pi/agent/sessions']],
  forms: (scenario) => {
    // A request that failed leaves a message without tokens.
    const failed = hasFailures(scenario, 400) ? ['requests'] : []
    return {
      store: { lacks: [...failed, ...(stopOf(scenario) ? ['cuts'] : [])] },
      stream: { lacks: failed },
    }
  },
  keepsCutTexts: true,
  cannot: {
    picture: 'its command line has only the name of a file',
    agent: NO_AGENTS,
    parallel: NO_AGENTS,
    nested: NO_AGENTS,
    background: NO_AGENTS,
    failure: NO_AGENTS,
    refusal: 'it asks nobody',
    compaction: '`pi -p` compacts only near the end of its context',
  },
}

const MODEL = {
  id: 'script',
  name: 'script',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 128_000,
  maxTokens: 4096,
}
