import { mkdir, writeFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'
import { buildPage } from './examples/app/bundle.ts'

const shared: Options = { target: 'es2022', sourcemap: true, splitting: true, pure: ['Object.freeze'] }

/** The file of each entry point, by its name in `dist`. `package.json` and `vitest.config.ts` follow this list. */
export const entry: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  claude: 'src/wires/claude/index.ts',
  opencode: 'src/wires/opencode/index.ts',
  codex: 'src/wires/codex/index.ts',
  pi: 'src/wires/pi/index.ts',
  gemini: 'src/wires/gemini/index.ts',
  kimi: 'src/wires/kimi/index.ts',
  qwen: 'src/wires/qwen/index.ts',
  acp: 'src/acp.ts',
  copilot: 'src/wires/copilot/index.ts',
  cline: 'src/wires/cline/index.ts',
  'ai-sdk': 'src/sinks/ai-sdk/index.ts',
  'ag-ui': 'src/ag-ui.ts',
  markdown: 'src/sinks/markdown/index.ts',
  otel: 'src/sinks/otel/index.ts',
  writers: 'src/sinks/writers/index.ts',
  atif: 'src/sinks/atif/index.ts',
  parity: 'src/parity/index.ts',
  identity: 'src/identity/index.ts',
  lineage: 'src/lineage/index.ts',
  conversations: 'src/conversations/index.ts',
  sync: 'src/sync/index.ts',
  hub: 'src/hub/index.ts',
  log: 'src/log/index.ts',
  redis: 'src/log/redis/index.ts',
  react: 'src/react/index.ts',
  node: 'src/node/index.ts',
  testing: 'src/testing/index.ts',
  arbitraries: 'src/testing/arbitraries/index.ts',
}

const library: Options = {
  ...shared,
  // Bundlers drop a whole file more surely than its parts. So a module that is often imported alone, or that needs a
  // CommonJS package, gets a file of its own.
  entry: { ...entry, reducer: 'src/reducer/reduce.ts', canonical: 'src/identity/canonical.ts' },
  dts: { entry: { ...entry } },
}

const config: Options[] = [
  { ...library, format: 'esm' },
  // Source maps of the CommonJS files would lead to files of the machine that built them.
  { ...library, format: 'cjs', sourcemap: false },
  {
    ...shared,
    // No program imports the command, so its source map would only make the package larger.
    sourcemap: false,
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    platform: 'node',
    dts: false,
    // `agentfold serve` and `agentfold show --html` read it.
    onSuccess: writePage,
  },
]

async function writePage(): Promise<void> {
  // A build into another folder makes no `dist`.
  await mkdir('dist', { recursive: true })
  await writeFile('dist/page.html', await buildPage())
}

export default defineConfig(config) as Options[]
