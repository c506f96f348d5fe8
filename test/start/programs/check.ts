/** Checks the fixture's settings as a service does: `FIXTURE_MOOD` may be anything but `bad`. */
if (process.env.FIXTURE_MOOD === 'bad') {
  console.error('The configuration is invalid:\n  FIXTURE_MOOD is "bad", expected a good one');
  process.exitCode = 1;
}
