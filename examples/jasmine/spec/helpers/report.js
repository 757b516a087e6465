const { JUnitXmlReporter } = require('jasmine-reporters');

jasmine.getEnv().addReporter(new JUnitXmlReporter({ savePath: 'build', consolidateAll: true }));
