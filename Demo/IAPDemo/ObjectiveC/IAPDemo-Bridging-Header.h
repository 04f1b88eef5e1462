#import "DemoCoinsViewController.h"
