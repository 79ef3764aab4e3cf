import { defineConfig, type Options } from 'tsup'

const shared: Options = { target: 'es2022', sourcemap: true, splitting: true, pure: ['Object.freeze'] }

const entry = {
  index: 'src/index.ts',
  claude: 'src/sources/claude/index.ts',
  opencode: 'src/sources/opencode/index.ts',
  react: 'src/react/index.ts',
  testing: 'src/testing/index.ts',
  arbitraries: 'src/testing/arbitraries/index.ts',
}

const library: Options = {
  ...shared,
  // Bundlers drop a whole file more surely than its parts: what is imported alone, and what needs a CommonJS package, get
  // files of their own.
  entry: { ...entry, reducer: 'src/reducer/reduce.ts', canonical: 'src/identity/canonical.ts' },
  dts: { entry },
}

const config: Options[] = [
  { ...library, format: 'esm' },
  // Its maps would not lead to the source, but to files of the machine that built it.
  { ...library, format: 'cjs', sourcemap: false },
  { ...shared, entry: { cli: 'src/cli/main.ts' }, format: 'esm', platform: 'node', dts: false },
]

export default defineConfig(config) as Options[]
