/** Builds nothing, or fails: `FIXTURE_BUILD` may be anything but `broken`. */
if (process.env.FIXTURE_BUILD === 'broken') {
  console.error('the fixture cannot be built');
  process.exitCode = 1;
}
