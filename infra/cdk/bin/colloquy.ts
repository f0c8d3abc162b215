// The app: settings from the context, one stack, checked by cdk-nag.
//
// `-c build=false` leaves the functions unbuilt, which is enough to look at the template.

import { App, Aspects } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

import { ColloquyStack } from '../lib/stack';
import { fromContext } from '../lib/settings';

const app = new App();
if (app.node.tryGetContext('build') === 'false') {
  app.node.setContext('aws:cdk:bundling-stacks', []);
}
const name = app.node.tryGetContext('stack') ?? 'colloquy';
new ColloquyStack(app, name, { settings: fromContext((key) => app.node.tryGetContext(key)) });
Aspects.of(app).add(new AwsSolutionsChecks({ verbose: true }));
