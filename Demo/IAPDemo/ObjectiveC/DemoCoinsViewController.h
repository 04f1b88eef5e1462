// A screen in Objective-C that sells one product over the same client as the rest of the app.
#import <UIKit/UIKit.h>

NS_ASSUME_NONNULL_BEGIN

@interface DemoCoinsViewController : UIViewController
@end

NS_ASSUME_NONNULL_END
