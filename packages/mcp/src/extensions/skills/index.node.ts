export { loadSkills } from './load-skills.node.ts'
