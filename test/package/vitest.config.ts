import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** The package as it is published: these tests install it, which takes the registry. */
const config: ViteUserConfig = defineConfig({
  test: { include: ['test/package/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 300_000 },
})

export default config
